import { Option } from 'commander';
import { errors } from '../../errors.js';
import type { ImportMode } from '../../transfer/run/context.js';
import type { ImportSource } from '../../transfer/source/types.js';
import { openArchiveSource } from '../../transfer/strapi/source.js';
import { type CommandLine, command } from '../command.js';
import { openStrapi3 } from '../import-strapi3.js';
import { runImport } from '../run-import.js';
import { SELECTION, type SelectionOptions, selectionOf } from '../selection.js';

interface Options extends SelectionOptions {
  readonly fromDump?: string;
  readonly project?: string;
  readonly key?: string;
  readonly mode?: ImportMode;
  readonly schemas?: string;
  readonly dryRun?: boolean;
  readonly verify?: boolean;
  readonly restart?: boolean;
}

const open = async (from: string | undefined, options: Options): Promise<ImportSource> => {
  const uri = from !== undefined && /^mongodb(?:\+srv)?:/.test(from) ? from : null;
  if (uri !== null || options.fromDump !== undefined)
    return openStrapi3({ uri, dump: options.fromDump ?? null, project: options.project ?? null });
  if (from === undefined)
    throw errors.application(
      'source-not-supported',
      'Specify what to import: an archive, a mongodb:// address or --from-dump',
    );
  const key = options.key ?? process.env['MANGROVE_ARCHIVE_KEY'] ?? null;
  return openArchiveSource(from, key);
};

/** `mangrove import`: imports the content of a Strapi project. */
export const importInto = command({
  name: 'import [from]',
  does: 'import the content of a Strapi project',
  options: [
    [
      '--from-dump <path>',
      'a Strapi 3 database, as written by mongodump (a folder or an archive, gzipped or not) or mongoexport',
    ],
    ['--project <folder>', 'the Strapi 3 project, for its uploads and settings files'],
    ['--key <text>', 'the key of an encrypted archive (or MANGROVE_ARCHIVE_KEY)'],
    new Option('--mode <mode>', 'if there is content already: add to it, or replace it').choices([
      'merge',
      'replace',
    ]),
    ...SELECTION,
    ['--schemas <folder>', "write the source's schema files below this folder and use them"],
    ['--dry-run', 'read and check everything, without writing'],
    ['--verify', 'afterwards read everything back and compare it with the source'],
    ['--restart', 'discard an unfinished import and start over'],
  ],
  help: `
<from> is the output of "strapi export" (Strapi 4 or 5; .tar, .tar.gz, .enc or an unpacked folder) or of "mangrove export". It can also
be the address of a Strapi 3 database, which is only read.
Content, media, accounts with their passwords, roles with their permissions, and locales are imported. Strapi's archives contain no
administrators and no API tokens: create new ones with "mangrove token create".

A project without schemas gets those of the archive. If it has its own, they apply, and the report lists the differences.
What cannot be imported is listed in the report with the reason; values without an attribute are kept in the entry under "_strapi".

The same command resumes an interrupted import.
With --mode replace nothing is visible until the import is complete; then the new content replaces the old.

Examples:
  $ mangrove import export.tar.gz --dry-run              what would be imported, and what would not
  $ mangrove import export.tar.gz --verify               into an empty database, reading everything back
  $ mangrove import export.tar.gz.enc --key "$KEY"       an encrypted archive
  $ mangrove import export.tar.gz --mode replace         replacing the existing content
  $ mangrove import mongodb://db/strapi --project ../strapi3   a database of Strapi 3, with its uploads
  $ mangrove import --from-dump dump/strapi              the same from the output of mongodump
  $ mangrove import export.tar.gz --only content         without files and settings
  $ mangrove --root my-project --json import ./unpacked  the report as JSON`,
  async run({ root, yes, options }: CommandLine<Options>, from: string | undefined) {
    const source = await open(from, options);
    try {
      return await runImport(source, {
        root,
        mode: options.mode ?? null,
        selection: selectionOf(options),
        schemas: options.schemas ?? null,
        dryRun: options.dryRun ?? false,
        verify: options.verify ?? false,
        restart: options.restart ?? false,
        yes,
      });
    } finally {
      await source.close();
    }
  },
});
