import { writeMigration } from '../../migrate/files.js';
import { down, previewDown, previewUp, up } from '../../migrate/migrate.js';
import type { StepPreview } from '../../migrate/preview.js';
import { type MigrateParts, noteApplied, standingOf } from '../../migrate/standing.js';
import { note, table } from '../../terminal/output.js';
import { type CommandLine, command, refused } from '../command.js';
import { withStore } from '../with-store.js';

const withParts = <T>({ root }: { root: string }, work: (parts: MigrateParts) => Promise<T>): Promise<T> =>
  withStore(root, ({ config, store, schema }) =>
    work({ root, store, schema, defaultLocale: config.plugins.i18n.defaultLocale }),
  );

const create = command({
  name: 'create [name]',
  does: 'write the migration needed since the schema that was applied last',
  options: [['--empty', 'write an empty migration, to fill in']],
  help: `
The file is migrations/<time>-<name>.mjs. docs/migrations.md has every step. serve refuses to start while a migration is needed or
pending; database.migrations: 'run' in config/database applies pending ones instead.

Example:
  $ mangrove migrate create rename-title`,
  async run(call: CommandLine<{ readonly empty?: boolean }>, name: string | undefined) {
    const { empty = false } = call.options;
    if (name !== undefined && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
      throw refused('A name consists of lowercase letters and digits, separated by hyphens');
    return withParts(call, async (parts) => {
      const { applied, current, needed } = await standingOf(parts);
      if (!applied && !empty) await noteApplied(parts, current);
      if (needed.length === 0 && !empty)
        return {
          data: { file: null, changes: [] },
          notes: [
            'The stored content matches the schema: no migration is needed. --empty writes one to fill in.',
          ],
        };
      const file = await writeMigration(call.root, name ?? 'schema', empty ? [] : needed);
      return {
        data: { file, changes: needed.map(({ says, decide }) => ({ says, decide })) },
        notes: needed.map(({ says }) => says),
        text: file,
        next: 'Review it, then: mangrove migrate up --dry-run, mangrove migrate up',
      };
    });
  },
});

const linesOf = ({ step, entries, samples, problems }: StepPreview): readonly string[] => [
  `${step}: ${entries} entries`,
  ...samples.map(
    ({ documentId, before, after }) =>
      `  ${documentId}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  ),
  ...problems.map((problem) => `  cannot: ${problem}`),
];

const NONE = 'Nothing is pending.';
const NONE_APPLIED = 'No migration has been applied.';

const previewed = (steps: readonly StepPreview[], otherwise: string) => ({
  data: { steps },
  text: steps.flatMap(linesOf).join('\n') || otherwise,
  failed: steps.some(({ problems }) => problems.length > 0),
});

const apply = command({
  name: 'up',
  does: 'apply pending migrations; continues after a crash',
  options: [['--dry-run', 'count what each step would change, with samples, without writing']],
  run: (call: CommandLine<{ readonly dryRun?: boolean }>) =>
    withParts(call, async (parts) => {
      if (call.options.dryRun) return previewed(await previewUp(parts), NONE);
      const applied = await up(parts, { report: note });
      const needed = (await standingOf(parts)).needed.map(({ says }) => says);
      return {
        data: { applied, needed },
        notes: [
          applied.length === 0 ? NONE : `Applied ${applied.join(', ')}.`,
          ...needed.map((says) => `still needed: ${says}`),
        ],
        failed: needed.length > 0,
      };
    }),
});

const undo = command({
  name: 'down',
  does: 'undo the last migration',
  options: [['--dry-run', 'count what undoing each step would change, with samples, without writing']],
  run: (call: CommandLine<{ readonly dryRun?: boolean }>) =>
    withParts(call, async (parts) => {
      if (call.options.dryRun) {
        const found = await previewDown(parts);
        return {
          ...previewed(found?.steps ?? [], found ? `${found.migration}: nothing to change` : NONE_APPLIED),
          notes: found ? [`This would undo ${found.migration}.`] : [],
        };
      }
      const undone = await down(parts, { report: note });
      return { data: { undone }, notes: [undone === null ? NONE_APPLIED : `Undid ${undone}.`] };
    }),
});

const status = command({
  name: 'status',
  does: 'show what is applied, pending and needed; exit code 1 if something is pending or needed',
  async run(call) {
    const { runs, pending, needed } = await withParts(call, standingOf);
    const started = new Set(runs.map(({ _id }) => _id));
    const migrations = [
      ...runs.map(({ _id, state, endedAt }) => ({
        name: _id,
        state: state === 'done' ? 'applied' : state,
        ...(endedAt && { at: endedAt.toISOString() }),
      })),
      ...pending
        .filter(({ name }) => !started.has(name))
        .map(({ name }) => ({ name, state: 'pending', at: undefined })),
    ];
    const rows = migrations.map(({ name, state, at = '' }) => [name, state, at]);
    return {
      data: { migrations, needed: needed.map(({ says, decide }) => ({ says, decide })) },
      text: table(['migration', 'state', 'at'], rows),
      notes: needed.map(({ says }) => `needed: ${says}`),
      failed: pending.length + needed.length > 0,
    };
  },
});

/** `mangrove migrate`: adapts stored content to a changed schema. */
export const migrate = command({
  name: 'migrate',
  does: 'update stored content after a schema change',
  commands: [create, apply, undo, status],
});
