import { openStore } from '../../store/client.js';
import {
  type CopiedCollection,
  type CopyOptions,
  copyDatabase,
  planCopy,
} from '../../store/transfer/copy-database.js';
import { note, table } from '../../terminal/output.js';
import { plural } from '../../values/plural.js';
import { type CommandLine, type CommandResult, command, required } from '../command.js';
import { copyUploads, type DiskUploads, uploadsOnDisk } from '../copy-uploads.js';
import { withConfigured } from '../with-store.js';

interface Options {
  readonly to: string;
  readonly db?: string;
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
  readonly uploads?: string;
}

/** `mangrove copy`: copies the project's database to another deployment, such as a replica set. */
export const copy = command({
  name: 'copy',
  does: "copy every collection and index of the project's database to another deployment",
  options: [
    required('--to <uri>', 'the connection string of the other deployment'),
    ['--db <name>', 'the database there (default: the one the project would use)'],
    ['--overwrite', 'replace collections that contain documents there'],
    ['--uploads <place>', 'also copy uploads on disk: "gridfs" for the other database, or a folder'],
    ['--dry-run', 'only report what would be copied'],
  ],
  help: `
Stop the server first: changes made during the copy may be missed. Then set MONGODB_URI to the new address and start it again.

Examples:
  $ mangrove copy --to 'mongodb://db1,db2,db3/?replicaSet=rs0' --dry-run   what would be copied, and what is in the way
  $ mangrove copy --to 'mongodb://db1,db2,db3/?replicaSet=rs0'
  $ mangrove copy --to 'mongodb://db1,db2,db3/?replicaSet=rs0' --uploads gridfs   also copy uploads on disk into the database`,
  run: ({ root, options }: CommandLine<Options>) =>
    withConfigured(root, async ({ config, store, sharedWith }) => {
      if (sharedWith !== null)
        note('warning: a server has this database open; changes that it makes during the copy may be missed');
      const uploads = await uploadsOnDisk(config);
      const target = await openStore({ uri: options.to, name: options.db ?? config.database.name });
      try {
        const next = ofUploads(uploads, options);
        if (options.dryRun) return { ...planned(await planCopy(store.db, target.db)), ...next };
        const copied = await copyDatabase(store.db, target.db, { ...options, onProgress: progress() });
        if (options.uploads !== undefined) await copyUploads(uploads, options.uploads, target);
        const text = `Copied ${total(copied)}. Set MONGODB_URI to serve from there.`;
        return { data: { collections: copied }, text, ...next };
      } finally {
        await target.close();
      }
    }),
});

const PROGRESS_EACH = 10_000;

function progress(): NonNullable<CopyOptions['onProgress']> {
  let noted = 0;
  return (name, documents, done) => {
    if (done) note(`${name}: ${documents} documents`);
    else if (documents - noted >= PROGRESS_EACH) note(`${name}: ${documents} so far`);
    else return;
    noted = done ? 0 : documents;
  };
}

/** What happens to uploads that are not in the database. */
function ofUploads(
  { folder, names, bytes }: DiskUploads,
  { uploads, dryRun }: Options,
): Pick<CommandResult, 'next'> {
  if (names.length === 0) return {};
  const files = `${names.length} uploads of ${bytes} bytes`;
  if (uploads === undefined)
    return {
      next: `${files} stay in ${folder}, where this project keeps serving them; --uploads copies them to another machine or into the database`,
    };
  if (dryRun) return { next: `${files} would be copied to ${uploads}` };
  const set = uploads === 'gridfs' ? "; set upload.config.provider to 'gridfs' in config/plugins" : '';
  return { next: `${files} copied to ${uploads}${set}` };
}

const total = (list: readonly CopiedCollection[]): string => {
  const documents = list.reduce((sum, one) => sum + one.documents, 0);
  const indexes = list.reduce((sum, one) => sum + one.indexes, 0);
  return [
    plural(list.length, 'collection'),
    plural(documents, 'document'),
    plural(indexes, 'index', 'indexes'),
  ].join(', ');
};

function planned(collections: Awaited<ReturnType<typeof planCopy>>): CommandResult {
  const rows = collections.map(({ name, documents, indexes, occupied }) => [
    name,
    String(documents),
    String(indexes),
    occupied ? 'contains documents: requires --overwrite' : '',
  ]);
  const listed = table(['collection', 'documents', 'indexes', 'there'], rows);
  return { data: { collections }, text: `${listed}\nWould copy ${total(collections)}.` };
}
