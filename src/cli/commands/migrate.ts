import type { Command } from 'commander';
import { errors } from '../../errors.js';
import { writeMigration } from '../../migrate/files.js';
import { down, previewUp, up } from '../../migrate/migrate.js';
import type { StepPreview } from '../../migrate/preview.js';
import { type MigrateParts, noteApplied, standingOf } from '../../migrate/standing.js';
import { EXIT, note, print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { withStore } from '../with-store.js';

const withParts = <T>(command: Command, work: (parts: MigrateParts) => Promise<T>): Promise<T> => {
  const { root } = globalsOf(command);
  return withStore(root, ({ config, store, schema }) =>
    work({ root, store, schema, defaultLocale: config.plugins.i18n.defaultLocale }),
  );
};

async function create(
  name: string | undefined,
  options: { empty?: boolean },
  command: Command,
): Promise<void> {
  const { root, json } = globalsOf(command);
  if (name !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw errors.application(
      'command-refused',
      'A name consists of lowercase letters and digits, separated by hyphens',
    );
  const made = await withParts(command, async (parts) => {
    const { applied, current, needed } = await standingOf(parts);
    if (!applied && !options.empty) await noteApplied(parts, current);
    if (needed.length === 0 && !options.empty) return null;
    const file = await writeMigration(root, name ?? 'schema', options.empty ? [] : needed);
    return { file, changes: needed.map(({ says, decide }) => ({ says, decide })) };
  });
  if (json) return printJson(made ?? { file: null, changes: [] });
  if (!made)
    return note(
      'The stored content matches the schema: no migration is needed. --empty writes one to fill in.',
    );
  for (const { says } of made.changes) note(says);
  print(made.file);
  note('Review it, then: mangrove migrate up --dry-run, mangrove migrate up');
}

const linesOf = ({ step, entries, samples, problems }: StepPreview): readonly string[] => [
  `${step}: ${entries} entries`,
  ...samples.map(
    ({ documentId, before, after }) =>
      `  ${documentId}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  ),
  ...problems.map((problem) => `  cannot: ${problem}`),
];

async function applyAll(options: { dryRun?: boolean }, command: Command): Promise<void> {
  const { json } = globalsOf(command);
  if (options.dryRun) {
    const steps = await withParts(command, previewUp);
    if (steps.some(({ problems }) => problems.length > 0)) process.exitCode = EXIT.failed;
    if (json) return printJson({ steps });
    return print(steps.length === 0 ? 'Nothing is pending.' : steps.flatMap(linesOf).join('\n'));
  }
  const { applied, needed } = await withParts(command, async (parts) => ({
    applied: await up(parts, { report: note }),
    needed: (await standingOf(parts)).needed.map(({ says }) => says),
  }));
  if (needed.length > 0) process.exitCode = EXIT.failed;
  if (json) return printJson({ applied, needed });
  note(applied.length === 0 ? 'Nothing is pending.' : `Applied ${applied.join(', ')}.`);
  for (const says of needed) note(`still needed: ${says}`);
}

async function undo(_: unknown, command: Command): Promise<void> {
  const undone = await withParts(command, (parts) => down(parts, { report: note }));
  if (globalsOf(command).json) printJson({ undone });
  else note(undone === null ? 'No migration has been applied.' : `Undid ${undone}.`);
}

async function status(_: unknown, command: Command): Promise<void> {
  const { runs, pending, needed } = await withParts(command, standingOf);
  const rows = [
    ...runs.map(({ _id, state, endedAt }) => [
      _id,
      state === 'done' ? 'applied' : state,
      endedAt?.toISOString() ?? '',
    ]),
    ...pending
      .filter(({ name }) => !runs.some(({ _id }) => _id === name))
      .map(({ name }) => [name, 'pending', '']),
  ];
  if (pending.length + needed.length > 0) process.exitCode = EXIT.failed;
  if (globalsOf(command).json)
    return printJson({
      migrations: rows.map(([name, state, at]) => ({ name, state, ...(at !== '' && { at }) })),
      needed: needed.map(({ says, decide }) => ({ says, decide })),
    });
  print(table(['migration', 'state', 'at'], rows));
  for (const { says } of needed) note(`needed: ${says}`);
}

/** `mangrove migrate`: stored content follows a change of the schema. */
export function register(program: Command): void {
  const migrate = program.command('migrate').description('update stored content after a schema change');
  migrate
    .command('create [name]')
    .description('write the migration needed since the schema that was applied last')
    .option('--empty', 'write an empty migration, to fill in')
    .addHelpText(
      'after',
      `
The file is migrations/<time>-<name>.mjs. docs/migrations.md has every step. serve refuses to start while a migration is needed or
pending; database.migrations: 'run' in config/database applies pending ones instead.

Example:
  $ mangrove migrate create rename-title`,
    )
    .action(create);
  migrate
    .command('up')
    .description('apply pending migrations; continues after a crash')
    .option('--dry-run', 'count what each step would change, with samples, without writing')
    .action(applyAll);
  migrate.command('down').description('undo the last migration').action(undo);
  migrate
    .command('status')
    .description('show what is applied, pending and needed; exit code 1 if something is pending or needed')
    .action(status);
}
