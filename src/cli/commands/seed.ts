import { type Command, InvalidArgumentError } from 'commander';
import { seedFiles } from '../../seed/seed.js';
import type { SeedReport } from '../../seed/types.js';
import { seedOf } from '../../serve/seed-of.js';
import { EXIT, note, print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { withProject } from '../with-project.js';

type Keys = Readonly<Record<string, string>>;

interface Options {
  readonly type?: string;
  readonly key: Keys;
  readonly draft?: boolean;
  readonly dryRun?: boolean;
  readonly restart?: boolean;
}

/** `slug`, or `article=slug` for one type. */
const addKey = (text: string, keys: Keys): Keys => {
  const [, type, attribute] = /^(?:([^=]+)=)?([^=]+)$/.exec(text) ?? [];
  if (attribute === undefined) throw new InvalidArgumentError('an attribute, or <type>=<attribute>');
  return { ...keys, [type ?? '*']: attribute };
};

/** `mangrove seed`: fills a project from files. */
export function register(program: Command): void {
  program
    .command('seed [files...]')
    .description('fill the project from JSON, NDJSON, CSV or modules; existing documents are updated')
    .option('--type <name>', 'the type of all rows; otherwise what the file or its members are called')
    .option(
      '--key <attribute>',
      'what documents are known by, also <type>=<attribute>; otherwise the uid attribute, or the first unique one',
      addKey,
      {},
    )
    .option('--draft', 'store drafts, where a row does not say otherwise')
    .option('--dry-run', 'check every row and write nothing')
    .option('--restart', 'start over instead of continuing an interrupted run')
    .addHelpText(
      'after',
      `
Without files: the seed of the project's first start. A folder means its files in the order of their names. docs/seeding.md has the
forms of rows, references by name, and files by path or address. Rows that cannot be stored are named one by one on stderr, the
others are stored, and the exit code is 1. An interrupted run continues where it stopped.

Examples:
  $ mangrove seed seeds/authors.csv seeds/articles.ndjson
  $ mangrove seed export.json --type article --key slug --dry-run`,
    )
    .action(async (files: readonly string[], options: Options, command: Command) => {
      const { root, json } = globalsOf(command);
      const { type, key, draft, dryRun, restart } = options;
      const paths = files.length > 0 ? files : [seedOf(root)];
      const report = await withProject(command, (project) =>
        seedFiles(project, paths, {
          ...(type !== undefined && { type }),
          keys: key,
          draft: draft ?? false,
          dryRun: dryRun ?? false,
          restart: restart ?? false,
          tell: note,
        }),
      );
      if (report.failed > 0) process.exitCode = EXIT.failed;
      if (json) return printJson({ ...report, dryRun: dryRun ?? false });
      show(report, dryRun ?? false);
    });
}

function show({ types, files, skipped, failed, problems }: SeedReport, dryRun: boolean): void {
  const rows = Object.entries(types).map(([uid, { created, updated }]) => [
    uid,
    String(created),
    String(updated),
  ]);
  print(table(['type', 'created', 'updated'], rows));
  for (const { place, message } of problems) note(`${place}: ${message}`);
  if (failed > problems.length) note(`… and ${failed - problems.length} more`);
  if (files > 0) note(`${files} files stored`);
  if (skipped > 0) note(`${skipped} rows were already stored`);
  if (failed > 0) note(`${failed} rows could not be stored`);
  if (dryRun) note('Nothing was written.');
}
