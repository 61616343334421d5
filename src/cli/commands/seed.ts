import { InvalidArgumentError, Option } from 'commander';
import { SeedError } from '../../seed/error.js';
import { seedFiles } from '../../seed/seed.js';
import type { SeedReport } from '../../seed/types.js';
import { seedOf } from '../../serve/seed-of.js';
import { note, table } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
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

/** `mangrove seed`: loads content from files. */
export const seed = command({
  name: 'seed [files...]',
  does: 'load content from JSON, NDJSON, CSV or modules; existing documents are updated',
  options: [
    ['--type <name>', 'the type of all rows (default: from the names of the file or its keys)'],
    new Option(
      '--key <attribute>',
      'the attribute that identifies documents, also <type>=<attribute> (default: the uid attribute, or the first unique one)',
    )
      .argParser(addKey)
      .default({}),
    ['--draft', 'store drafts, unless a row says otherwise'],
    ['--dry-run', 'check every row, without writing'],
    ['--restart', 'start over instead of continuing an interrupted run'],
  ],
  help: `
Without files, it runs the seed of the project's first start. A folder means its files in the order of their names. docs/seeding.md
describes rows, references by name, and files by path or URL. Rows that cannot be stored are listed on stderr, the others are stored,
and the exit code is 1. An interrupted run continues where it stopped.

Examples:
  $ mangrove seed seeds/authors.csv seeds/articles.ndjson
  $ mangrove seed export.json --type article --key slug --dry-run`,
  async run(call: CommandLine<Options>, files: readonly string[]) {
    const { type, key: keys, draft = false, dryRun = false, restart = false } = call.options;
    const own = files.length > 0 ? null : await seedOf(call.root);
    if (files.length === 0 && own === null)
      throw new SeedError('This is a Strapi project, whose code is not run: name the files to seed from');
    const paths = own === null ? files : [own];
    const options = { ...(type !== undefined && { type }), keys, draft, dryRun, restart, onProgress: note };
    const report = await withProject(call, (project) => seedFiles(project, paths, options));
    return {
      data: { ...report, dryRun },
      ...summaryOf(report, dryRun),
      failed: report.failed + report.incomplete > 0,
    };
  },
});

function summaryOf({ types, files, skipped, failed, incomplete, problems }: SeedReport, dryRun: boolean) {
  const rows = Object.entries(types).map(([uid, { created, updated }]) => [
    uid,
    String(created),
    String(updated),
  ]);
  return {
    text: table(['type', 'created', 'updated'], rows),
    notes: [
      ...problems.map(({ place, message }) => `${place}: ${message}`),
      ...(failed + incomplete > problems.length
        ? [`… and ${failed + incomplete - problems.length} more`]
        : []),
      ...(files > 0 ? [`${files} files stored`] : []),
      ...(skipped > 0 ? [`${skipped} rows were already stored`] : []),
      ...(failed > 0 ? [`${failed} rows could not be stored`] : []),
      ...(incomplete > 0 ? [`${incomplete} rows were stored without references that lead nowhere`] : []),
      ...(dryRun ? ['Nothing was written.'] : []),
    ],
  };
}
