import type { Command } from 'commander';
import type { PlacedIndex } from '../../store/indexes/indexes.js';
import {
  type Drift,
  indexDrift,
  makeIndexes,
  replaceIndex,
  storedIndexes,
} from '../../store/indexes/sync.js';
import { EXIT, note, print, printJson, table } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { withStore } from '../with-store.js';

/** `mangrove indexes`: what the schemas ask of the database, and what it has. */
export function register(program: Command): void {
  const indexes = program.command('indexes').description('check and create the indexes of the content');
  indexes
    .command('list')
    .description('list the indexes of the collections of the content types')
    .action((_options: unknown, command: Command) => list(command));
  indexes
    .command('drift')
    .description(
      'show indexes that are missing, different or not required by any schema; exit code 1 if any are missing',
    )
    .action((_options: unknown, command: Command) => drift(command));
  indexes
    .command('sync')
    .description(
      'create missing indexes and recreate different ones; indexes that no schema requires are kept',
    )
    .option('--dry-run', 'show what would be done')
    .action((options: { dryRun?: boolean }, command: Command) => sync(command, options.dryRun ?? false));
}

const list = (command: Command): Promise<void> =>
  withStore(globalsOf(command).root, async ({ store, schema }) => {
    const found = await storedIndexes(store, schema);
    if (globalsOf(command).json) return printJson(found);
    const rows = found.map(({ collection, name, keys, unique }) => [
      collection,
      name,
      keysText(keys),
      unique ? 'unique' : '',
    ]);
    print(table(['collection', 'name', 'keys', ''], rows));
  });

const drift = (command: Command): Promise<void> =>
  withStore(globalsOf(command).root, async ({ store, schema }) => {
    const found = await indexDrift(store, schema);
    if (found.missing.length + found.changed.length > 0) process.exitCode = EXIT.failed;
    if (globalsOf(command).json) return printJson(found);
    print(driftText(found));
  });

const sync = (command: Command, dryRun: boolean): Promise<void> =>
  withStore(globalsOf(command).root, async ({ store, schema }) => {
    const { missing, changed } = await indexDrift(store, schema);
    const verb = dryRun ? 'would ' : '';
    for (const index of missing) note(`${verb}make ${nameOf(index)}`);
    for (const index of changed) note(`${verb}replace ${index.stored} by ${nameOf(index)}`);
    if (!dryRun) {
      await makeIndexes(store, missing);
      for (const index of changed) await replaceIndex(store, index);
    }
    const done = [
      ...missing.map(({ collection, name }) => ({ collection, name, replace: false })),
      ...changed.map(({ collection, name }) => ({ collection, name, replace: true })),
    ];
    if (globalsOf(command).json) printJson({ dryRun, done });
    else if (done.length === 0) print('Nothing to do.');
  });

function driftText({ missing, changed, extra }: Drift): string {
  const rows = [
    ...missing.map((index) => ['missing', index.collection, index.name]),
    ...changed.map((index) => ['changed', index.collection, index.name]),
    ...extra.map((index) => ['extra', index.collection, index.name]),
  ];
  return rows.length === 0 ? 'No drift.' : table(['', 'collection', 'name'], rows);
}

const nameOf = ({ collection, name, keys }: PlacedIndex): string => `${collection} ${name} ${keysText(keys)}`;

const keysText = (keys: Readonly<Record<string, unknown>>): string =>
  `{ ${Object.entries(keys)
    .map(([path, way]) => `${path}: ${String(way)}`)
    .join(', ')} }`;
