/**
 * The figures of decisions 001 and 005 on the engine that MONGODB_URI names, or on an embedded one: forms of reading, and what holds
 * unique values, each measured in turns with the others in one run. Take ratios only.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { makeConfig } from '../src/config/load.js';
import { createReader } from '../src/documents/read/create-reader.js';
import { createDocuments } from '../src/documents/service.js';
import { textQuery } from '../src/query/query.js';
import { checkSchema } from '../src/schema/check/check.js';
import type { SchemaFile } from '../src/schema/files/read.js';
import { buildSchema } from '../src/schema/load.js';
import type { ContentType } from '../src/schema/types.js';
import { openStore } from '../src/store/client.js';
import { ensureIndexes } from '../src/store/indexes/sync.js';

const ENTRIES = 10_000;
const TURNS = 6;
const SLICE_MS = 700;
const NAME = 'mangrove_bench_decisions';

const type = (name: string, attributes: object, options: object = {}): SchemaFile => ({
  kind: 'contentType',
  uid: `api::${name}.${name}`,
  name,
  file: `${name}/schema.json`,
  content: {
    kind: 'collectionType',
    info: { singularName: name, pluralName: `${name}s`, displayName: name },
    options,
    attributes,
  },
});
const text = { type: 'string' };
const to = (relation: string, target: string) => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
});
const thing = (name: string, value: object, options: object = {}): SchemaFile =>
  type(name, { title: text, value }, options);

const schema = buildSchema(
  checkSchema(
    [
      type('owner', { name: text, 'last-name': text }),
      type('kind', { name: text }),
      type('friend', { name: text }),
      type('pet', {
        name: text,
        owner: to('manyToOne', 'owner'),
        kinds: to('manyToMany', 'kind'),
        friends: to('manyToMany', 'friend'),
      }),
      // A value is held by nothing, by an index alone, by claims alone (no index of a sharded type holds it), by both.
      thing('neither', text),
      thing('indexed', text),
      thing('claimed', { type: 'string', unique: true }, { shard: true }),
      thing('both', { type: 'string', unique: true }),
    ].map((file) => JSON.parse(JSON.stringify(file).replaceAll('last-name', 'lastName')) as SchemaFile),
  ),
);

/** Calls a second of each contender, in turns. */
async function inTurns<K extends string>(
  contenders: Readonly<Record<K, (n: number) => Promise<unknown>>>,
  clients: number,
): Promise<Record<K, number>> {
  const names = Object.keys(contenders) as K[];
  const calls = Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;
  const ms = { ...calls };
  let n = 0;
  for (let turn = 0; turn <= TURNS; turn++)
    for (const name of names) {
      const began = performance.now();
      let done = 0;
      const client = async (): Promise<void> => {
        while (performance.now() - began < SLICE_MS) {
          await contenders[name](n++);
          done += 1;
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
      if (turn === 0) continue;
      calls[name] += done;
      ms[name] += performance.now() - began;
    }
  return Object.fromEntries(names.map((name) => [name, (calls[name] * 1000) / ms[name]])) as Record<
    K,
    number
  >;
}

const given = process.env['MONGODB_URI'];
const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-bench-'));
const engine = given === undefined ? await startEngine({ dataDir }) : null;
const uri = given ?? engine?.uri ?? '';
const stores = {
  rows: await openStore({ uri, name: NAME, lookups: 'rows', maxTimeMS: 60_000 }),
  sets: await openStore({ uri, name: NAME, lookups: 'sets', maxTimeMS: 60_000 }),
};
const store = stores.rows;
await store.db.dropDatabase();
const config = makeConfig('.');
await ensureIndexes(store, schema);
await store.db
  .collection('indexeds')
  .createIndex({ value: 1, locale: 1 }, { unique: true, partialFilterExpression: { value: { $gt: '' } } });

const typeOf = (name: string): ContentType => {
  const found = schema.contentTypes.get(`api::${name}.${name}`);
  if (!found) throw new Error(name);
  return found;
};
const fill = async (name: string, count: number, more: (n: number) => object): Promise<void> => {
  for (let at = 0; at < count; at += 1000)
    await store.db.collection(name).insertMany(
      Array.from({ length: Math.min(1000, count - at) }, (_, i) => ({
        ...{ id: at + i, documentId: `${name}${at + i}`, locale: null, publishedAt: new Date(0) },
        ...{ createdAt: new Date(0), updatedAt: new Date(0), name: `${name} ${at + i}` },
        ...more(at + i),
      })),
    );
};
await fill('owners', 1000, (n) => ({ lastName: `last ${(n * 7919) % 1000}` }));
await fill('kinds', 50, () => ({}));
await fill('friends', ENTRIES, () => ({}));
await fill('pets', ENTRIES, (n) => ({
  owner: `owners${(n * 31) % 1000}`,
  kinds: [1, 2, 3].map((k) => `kinds${(n * k) % 50}`),
  friends: [1, 7].map((k) => `friends${(n * k + k) % ENTRIES}`),
}));
if (given !== undefined) await new Promise((resolve) => setTimeout(resolve, 6000));

const readers = Object.fromEntries(
  Object.entries(stores).map(([form, each]) => [form, createReader({ schema, store: each, config })]),
);
const fields = '[fields][0]=name';
const READS: Readonly<Record<string, string>> = {
  'a page with three relations': `fields[0]=name&sort=id:desc&populate[owner]${fields}&populate[kinds]${fields}&populate[friends]${fields}`,
  'sorted through a relation': 'fields[0]=name&sort=owner.lastName&filters[id][$lt]=1111',
};
process.stdout.write(`${store.engine.name} ${store.engine.version.join('.')}\n`);
for (const [what, query] of Object.entries(READS))
  for (const clients of [1, 16]) {
    const read = (form: string) => () =>
      readers[form]?.list({
        type: typeOf('pet'),
        query: textQuery(`${query}&pagination[withCount]=false`),
        caller: { grants: null },
      }) ?? Promise.resolve();
    const { rows, sets } = await inTurns({ rows: read('rows'), sets: read('sets') }, clients);
    process.stdout.write(
      `${what}, ${clients} at a time: ${rows.toFixed(0)} pages/s by the row, ${sets.toFixed(0)} in sets: ${(sets / rows).toFixed(2)}\n`,
    );
  }

const documents = await createDocuments({
  schema,
  store,
  config,
  reader: createReader({ schema, store, config }),
});
const KINDS = ['neither', 'indexed', 'claimed', 'both'];
const made: Record<string, string[]> = {};
const write = (body: (n: number) => object, update: boolean) =>
  Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      async (n: number): Promise<void> => {
        const service = documents(typeOf(kind).uid);
        const own = made[kind] ?? [];
        if (update) await service.update({ documentId: own[n % own.length] ?? '', data: body(n) });
        else {
          const { documentId } = await service.create({ data: body(n) });
          made[kind] = [...own.slice(-400), String(documentId)];
        }
      },
    ]),
  );
const run = `${Date.now()}`;
const WRITES = {
  POST: write((n) => ({ title: 'a', value: `v${run}${n}` }), false),
  'PUT of another attribute': write((n) => ({ title: `t${n}` }), true),
  'PUT of the value': write((n) => ({ value: `w${run}${n}` }), true),
};
for (const [what, contenders] of Object.entries(WRITES)) {
  const perSecond = await inTurns(contenders, 8);
  const ms = KINDS.map((kind) => `${kind} ${(8000 / (perSecond[kind] ?? 1)).toFixed(1)}`);
  process.stdout.write(`${what}, ms, 8 at a time: ${ms.join(', ')}\n`);
}

await store.db.dropDatabase();
for (const each of Object.values(stores)) await each.close();
await engine?.close();
await rm(dataDir, { recursive: true, force: true });
