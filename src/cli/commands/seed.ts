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
    .description('load content from JSON, NDJSON, CSV or modules; existing documents are updated')
    .option('--type <name>', 'the type of all rows (default: from the names of the file or its keys)')
    .option(
      '--key <attribute>',
      'the attribute that identifies documents, also <type>=<attribute> (default: the uid attribute, or the first unique one)',
      addKey,
      {},
    )
    .option('--draft', 'store drafts, unless a row says otherwise')
    .option('--dry-run', 'check every row, without writing')
    .option('--restart', 'start over instead of continuing an interrupted run')
    .addHelpText(
      'after',
      `
Without files, it runs the seed of the project's first start. A folder means its files in the order of their names. docs/seeding.md
describes rows, references by name, and files by path or URL. Rows that cannot be stored are listed on stderr, the others are stored,
and the exit code is 1. An interrupted run continues where it stopped.

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
