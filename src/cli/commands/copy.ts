import type { Command } from 'commander';
import { openStore } from '../../store/client.js';
import {
  type CopiedCollection,
  type CopyOptions,
  copyDatabase,
  planCopy,
} from '../../store/transfer/copy-database.js';
import { note, print, printJson, table } from '../../terminal/output.js';
import { copyUploads, type DiskUploads, uploadsOnDisk } from '../copy-uploads.js';
import { globalsOf } from '../globals.js';
import { withStore } from '../with-store.js';

interface Options {
  readonly to: string;
  readonly db?: string;
  readonly overwrite?: boolean;
  readonly dryRun?: boolean;
  readonly uploads?: string;
}

const AFTER = `
Stop the server first: changes made during the copy may be missed. Then set MONGODB_URI to the new address and start it again.

Examples:
  $ mangrove copy --to 'mongodb://db1,db2,db3/?replicaSet=rs0' --dry-run   what would be copied, and what is in the way
  $ mangrove copy --to 'mongodb://db1,db2,db3/?replicaSet=rs0'
  $ mangrove copy --to 'mongodb://db1,db2,db3/?replicaSet=rs0' --uploads gridfs   also copy uploads on disk into the database`;

/** `mangrove copy`: everything of the project's database to another deployment, such as a replica set. */
export function register(program: Command): void {
  program
    .command('copy')
    .description("copy every collection and index of the project's database to another deployment")
    .requiredOption('--to <uri>', 'the connection string of the other deployment')
    .option('--db <name>', 'the database there (default: the one the project would use)')
    .option('--overwrite', 'replace collections that contain documents there')
    .option('--uploads <place>', 'also copy uploads on disk: "gridfs" for the other database, or a folder')
    .option('--dry-run', 'only report what would be copied')
    .addHelpText('after', AFTER)
    .action(async (options: Options, command: Command) => {
      const { root, json } = globalsOf(command);
      await withStore(root, async ({ config, store, shared }) => {
        if (shared)
          note(
            'warning: a server has this database open; changes that it makes during the copy may be missed',
          );
        const uploads = await uploadsOnDisk(config);
        const name = options.db ?? config.database.name;
        const target = await openStore({ uri: options.to, name });
        try {
          if (options.dryRun) tellPlan(await planCopy(store.db, target.db), json);
          else {
            const copied = await copyDatabase(store.db, target.db, { ...options, tell: progress() });
            if (options.uploads !== undefined) await copyUploads(uploads, options.uploads, target);
            tellCopied(copied, json);
          }
          tellUploads(uploads, options);
        } finally {
          await target.close();
        }
      });
    });
}

const PROGRESS_EACH = 10_000;

function progress(): NonNullable<CopyOptions['tell']> {
  let told = 0;
  return (name, documents, done) => {
    if (done) note(`${name}: ${documents} documents`);
    else if (documents - told >= PROGRESS_EACH) note(`${name}: ${documents} so far`);
    else return;
    told = done ? 0 : documents;
  };
}

/** Where the files are that are not in the database. */
function tellUploads({ folder, names, bytes }: DiskUploads, { uploads, dryRun }: Options): void {
  if (names.length === 0) return;
  const files = `${names.length} uploads of ${bytes} bytes`;
  if (uploads === undefined)
    note(
      `${files} stay in ${folder}, where this project keeps serving them; --uploads copies them to another machine or into the database`,
    );
  else if (dryRun) note(`${files} would be copied to ${uploads}`);
  else
    note(
      `${files} copied to ${uploads}${uploads === 'gridfs' ? "; set upload.config.provider to 'gridfs' in config/plugins" : ''}`,
    );
}

const total = (list: readonly CopiedCollection[]): string => {
  const documents = list.reduce((sum, one) => sum + one.documents, 0);
  const indexes = list.reduce((sum, one) => sum + one.indexes, 0);
  return `${list.length} collections, ${documents} documents, ${indexes} indexes`;
};

function tellPlan(planned: Awaited<ReturnType<typeof planCopy>>, json: boolean): void {
  if (json) {
    printJson({ collections: planned });
    return;
  }
  const rows = planned.map(({ name, documents, indexes, occupied }) => [
    name,
    String(documents),
    String(indexes),
    occupied ? 'contains documents: requires --overwrite' : '',
  ]);
  print(table(['collection', 'documents', 'indexes', 'there'], rows));
  print(`Would copy ${total(planned)}.`);
}

function tellCopied(copied: readonly CopiedCollection[], json: boolean): void {
  if (json) printJson({ collections: copied });
  else print(`Copied ${total(copied)}. Set MONGODB_URI to serve from there.`);
}
