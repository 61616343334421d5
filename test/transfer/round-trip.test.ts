/** import(export(x)) is x, for random content. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Long } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { content, librarySchema, stored } from '../reads/model/content.js';
import { type TestStore, testStore } from '../support/engine.js';
import { rounds } from '../support/rounds.js';
import { exportAll, importAll, targetIn } from '../support/transfer.js';

const schema = librarySchema();
const NAMES = ['writers', 'writers.drafts', 'labels', 'books', 'books.drafts'];

type Stored = Record<string, unknown>;

/** Entries as they are read, without what each write recreates; a reference without a target is not in an archive. */
const comparable = (lists: Map<string, Stored[]>) => {
  const there = new Set([...lists.values()].flat().map((entry) => entry['documentId']));
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string' && /^(?:writer|label|book)\d+$/.test(value))
      return there.has(value) ? value : null;
    if (Array.isArray(value)) return value.map(clean).filter((member) => member !== null);
    if (typeof value !== 'object' || value === null || '_bsontype' in value || value instanceof Date)
      return String(value);
    return Object.fromEntries(
      Object.entries(value)
        .filter(
          ([key, member]) =>
            !['_id', '_rev', 'createdAt', 'updatedAt', 'publishedAt', '_links'].includes(key) &&
            member !== null,
        )
        .map(([key, member]) => [key, key === 'documentId' ? member : clean(member)] as const)
        .filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0)),
    );
  };
  return NAMES.map((name) => (lists.get(name) ?? []).map(clean));
};

const read = async ({ store }: TestStore): Promise<Map<string, Stored[]>> => {
  const lists = new Map<string, Stored[]>();
  for (const name of NAMES)
    lists.set(name, (await store.db.collection(name).find({}).sort({ id: 1 }).toArray()) as Stored[]);
  return lists;
};

/** Component items get the numbers that every stored item has. */
const numbered = (lists: Map<string, Stored[]>): Map<string, Stored[]> => {
  let last = 0;
  const item = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const { notes, ...rest } = value as Stored;
    last += 1;
    const kept = last % 2 === 0 ? { _strapi3: { _id: `old ${last}`, gone: Long.fromNumber(last) } } : {};
    return { id: last, ...rest, ...kept, ...(Array.isArray(notes) && { notes: notes.map(item) }) };
  };
  for (const name of ['books', 'books.drafts'])
    lists.set(
      name,
      (lists.get(name) ?? []).map((book) => ({
        ...book,
        parts: Array.isArray(book['parts']) ? book['parts'].map(item) : [],
        info: item(book['info']),
      })),
    );
  return lists;
};

const RUNS = rounds(2, 15);

describe('export and import', function () {
  this.timeout(120_000 + RUNS * 5000);
  let from: TestStore;
  let to: TestStore;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-round-'));
    [from, to] = [await testStore(), await testStore()];
  });
  after(async () => {
    await from?.close();
    await to?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('reproduce random content', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(content, fc.constantFrom(null, 'aes-256-gcm', 'aes-128-ecb'), async (all, cipher) => {
        number += 1;
        for (const { store } of [from, to])
          for (const name of [...NAMES, 'mangrove.sequences']) await store.db.collection(name).deleteMany({});
        for (const [name, entries] of numbered(stored(all, schema)))
          if (entries.length > 0) await from.store.db.collection(name).insertMany(entries);
        const path = join(folder, `${number}.tar.gz`);
        const options = cipher === null ? {} : { cipher: { name: cipher, key: 'secret' } as const };
        await exportAll(targetIn(from.store, schema, folder), path, options);
        const source = await openArchiveSource(path, cipher === null ? null : 'secret');
        const report = await importAll(source, targetIn(to.store, schema, folder), { verify: true });
        expect(report.verified?.differences, report.verified?.differences.join('; ')).to.eql([]);
        expect(comparable(await read(to))).to.deep.equal(comparable(await read(from)));
      }),
      { numRuns: RUNS },
    );
  });
});
