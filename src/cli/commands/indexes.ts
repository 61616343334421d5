import { readingConditions } from '../../access/index.js';
import { ruleIndexes } from '../../describe/rule-indexes.js';
import { desiredIndexes, type PlacedIndex } from '../../store/indexes/indexes.js';
import { indexDrift, makeIndexes, replaceIndex, storedIndexes } from '../../store/indexes/sync.js';
import { note, table } from '../../terminal/output.js';
import { type CommandLine, command } from '../command.js';
import { withStore } from '../with-store.js';

const list = command({
  name: 'list',
  does: 'list the indexes of the collections of the content types',
  async run({ root }) {
    const data = await withStore(root, ({ store, schema }) => storedIndexes(store, schema));
    const rows = data.map(({ collection, name, keys, unique }) => [
      collection,
      name,
      keysText(keys),
      unique ? 'unique' : '',
    ]);
    return { data, text: table(['collection', 'name', 'keys', ''], rows) };
  },
});

const drift = command({
  name: 'drift',
  does: 'show indexes that are missing, different, not required by any schema, or wanted by a rule; exit code 1 if any are missing',
  help: `
"wanted": the condition of a rule for reading tests these attributes, and no index begins with one of them. Add it to
"indexes" in the schema file.`,
  async run({ root }) {
    const data = await withStore(root, async ({ store, schema, config }) => {
      const conditions = await readingConditions({ store, schema, config });
      const stored = await storedIndexes(store, schema);
      return {
        ...(await indexDrift(store, schema)),
        wanted: ruleIndexes(conditions, [...desiredIndexes(schema), ...stored]),
      };
    });
    const rows = [
      ...(['missing', 'changed', 'extra'] as const).flatMap((what) =>
        data[what].map(({ collection, name }) => [what, collection, name, '']),
      ),
      ...data.wanted.map(({ collection, name, by }) => ['wanted', collection, name, by.join(', ')]),
    ];
    return {
      data,
      text: rows.length === 0 ? 'No drift.' : table(['', 'collection', 'name', 'by'], rows),
      failed: data.missing.length + data.changed.length > 0,
    };
  },
});

const sync = command({
  name: 'sync',
  does: 'create missing indexes and recreate different ones; indexes that no schema requires are kept',
  options: [['--dry-run', 'show what would be done']],
  run: ({ root, options: { dryRun = false } }: CommandLine<{ readonly dryRun?: boolean }>) =>
    withStore(root, async ({ store, schema }) => {
      const { missing, changed } = await indexDrift(store, schema);
      const verb = dryRun ? 'would ' : '';
      for (const index of missing) note(`${verb}create ${nameOf(index)}`);
      for (const index of changed) note(`${verb}replace ${index.stored} with ${nameOf(index)}`);
      if (!dryRun) {
        await makeIndexes(store, missing);
        for (const index of changed) await replaceIndex(store, index);
      }
      const done = [
        ...missing.map(({ collection, name }) => ({ collection, name, replace: false })),
        ...changed.map(({ collection, name }) => ({ collection, name, replace: true })),
      ];
      return { data: { dryRun, done }, text: done.length === 0 ? 'Nothing to do.' : undefined };
    }),
});

const nameOf = ({ collection, name, keys }: PlacedIndex): string => `${collection} ${name} ${keysText(keys)}`;

const keysText = (keys: Readonly<Record<string, unknown>>): string =>
  `{ ${Object.entries(keys)
    .map(([path, way]) => `${path}: ${String(way)}`)
    .join(', ')} }`;

/** `mangrove indexes`: compares the indexes that the schemas require with those in the database. */
export const indexes = command({
  name: 'indexes',
  does: 'check and create the indexes of the content',
  commands: [list, drift, sync],
});
