import type { Command } from 'commander';
import { copyDatabase } from '../store/copy-database.js';
import { globalsOf } from './globals.js';
import { note, print, printJson } from './output.js';
import { withProject } from './with-project.js';

interface Options {
  readonly to: string;
  readonly db?: string;
  readonly overwrite?: boolean;
}

/** `mangrove copy`: everything of the project's database to another deployment, such as a replica set. */
export function register(program: Command): void {
  program
    .command('copy')
    .description("stream every collection and index of the project's database to another deployment")
    .requiredOption('--to <uri>', 'the connection string of the other deployment')
    .option('--db <name>', "the database there (default: the project's name for it)")
    .option('--overwrite', 'replace collections that hold documents there')
    .action(async (options: Options, command: Command) => {
      const copied = await withProject(command, ({ store }) =>
        copyDatabase(store.db, { uri: options.to, name: options.db, overwrite: options.overwrite }, (one) =>
          note(`${one.name}: ${one.documents} documents, ${one.indexes} indexes`),
        ),
      );
      if (globalsOf(command).json) {
        printJson({ collections: copied });
        return;
      }
      const documents = copied.reduce((sum, one) => sum + one.documents, 0);
      print(
        `Copied ${copied.length} collections, ${documents} documents. Set MONGODB_URI to serve from there.`,
      );
    });
}
