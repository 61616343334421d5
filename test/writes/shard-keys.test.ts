/**
 * What MongoDB requires of writes to sharded collections, version by version, checked for every command that is sent.
 */
import { expect } from 'chai';
import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import type { Documents } from '../../src/documents/types.js';
import { ABILITIES, examine } from '../../src/store/doctor/doctor.js';
import { desiredIndexes } from '../../src/store/indexes/indexes.js';
import { runCalls } from '../concurrency/calls.js';
import { MARK, OWNER, PAGE, shapeSchema, TARGET } from '../concurrency/shape.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';

/** One write of one command. */
interface Statement {
  readonly kind: 'update' | 'delete' | 'findAndModify';
  readonly collection: string;
  readonly filter: Document;
  /** Operators, a replacement or a pipeline; null for a delete. */
  readonly changes: unknown;
  readonly multi: boolean;
  readonly upsert: boolean;
  readonly inTransaction: boolean;
}

const statementsOf = (name: string, command: Document): Statement[] => {
  const inTransaction = command['autocommit'] === false;
  const update = (collection: string, { filter, q, updateMods, u, ...more }: Document): Statement => ({
    ...{ kind: 'update', collection, filter: filter ?? q, changes: updateMods ?? u },
    ...{ multi: more['multi'] === true, upsert: more['upsert'] === true, inTransaction },
  });
  const removal = (collection: string, { filter, q, limit, multi }: Document): Statement => ({
    ...{ kind: 'delete', collection, filter: filter ?? q, changes: null, upsert: false, inTransaction },
    multi: multi === true || limit === 0,
  });
  if (name === 'update') return command['updates'].map((one: Document) => update(command['update'], one));
  if (name === 'delete') return command['deletes'].map((one: Document) => removal(command['delete'], one));
  if (name === 'findAndModify') {
    const { findAndModify, query, update: changes = null, upsert = false } = command;
    return [
      {
        kind: 'findAndModify',
        collection: findAndModify,
        filter: query,
        changes,
        multi: false,
        upsert,
        inTransaction,
      },
    ];
  }
  if (name !== 'bulkWrite') return [];
  const names: string[] = command['nsInfo'].map(({ ns }: Document) => ns.slice(ns.indexOf('.') + 1));
  return command['ops'].flatMap((one: Document) => {
    if ('update' in one) return [update(names[one['update']] ?? '', one)];
    return 'delete' in one ? [removal(names[one['delete']] ?? '', one)] : [];
  });
};

/** Whether a filter names a field by equality. */
const names = (filter: Document, field: string): boolean => {
  if (!Object.hasOwn(filter, field))
    return (filter['$and'] ?? []).some((part: Document) => names(part, field));
  const test = filter[field];
  const isOperators = test?.constructor === Object && Object.keys(test).some((key) => key.startsWith('$'));
  return !isOperators || '$eq' in test;
};

/** What MongoDB 5.0 to 6.3 reject of a single write to a sharded collection; 7.0 and later reject less. */
function problemsOf({ kind, filter, changes, multi, upsert }: Statement, key: readonly string[]): string[] {
  const hasKey = key.every((field) => names(filter, field));
  const problems: string[] = [];
  if (multi) problems.push('not of one document: no part of a transaction that can be tried again by itself');
  if (kind === 'findAndModify' && !hasKey) problems.push('findAndModify takes the whole shard key');
  if (upsert && !hasKey) problems.push('an upsert takes the whole shard key');
  if (!hasKey && !names(filter, '_id')) problems.push('a write of one document names _id or the shard key');
  if (Array.isArray(changes)) {
    for (const stage of changes) {
      const set = stage['$set'] ?? {};
      if (key.some((field) => field in set) && !hasKey)
        problems.push('a change of the shard key takes all of it');
    }
  } else if (changes && typeof changes === 'object') {
    const touched = Object.entries(changes).flatMap(([name, value]) =>
      name.startsWith('$') ? Object.keys(value) : [],
    );
    if (touched.some((path) => key.includes(path))) problems.push('the shard key is changed');
  }
  return problems;
}

for (const shard of [true, { locale: 1, documentId: 1 }]) {
  const schema = shapeSchema({ shard });
  const key = Object.keys(shard === true ? { documentId: 1 } : shard);

  describe(`writes to collections sharded by ${key.join(', ')}`, function () {
    this.timeout(180_000);
    let opened: TestDocuments;
    let client: MongoClient;
    let documents: Documents;
    let sharded: ReadonlySet<string>;
    const sent: Statement[] = [];

    const open = async (writesAcross: boolean): Promise<void> => {
      const db = client.db(opened.name);
      const store = { ...opened.store, client, db, lists: db, writesAcross };
      const config = makeConfig('.', {
        plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'de'] } },
      });
      const reader = createReader({ schema, store, config });
      documents = await createDocuments({ schema, store, config, reader });
    };
    const make = async (uid: string, count: number, locale?: string): Promise<string[]> => {
      const made: string[] = [];
      for (let at = 0; at < count; at++) {
        const entry = await documents(uid).create({
          data: { title: `${at}` },
          status: 'published',
          ...(locale && { locale }),
        });
        made.push(String(entry.documentId));
      }
      return made;
    };
    before(async () => {
      opened = await testDocuments(schema);
      client = new MongoClient(opened.uri, { monitorCommands: true, ignoreUndefined: true });
      client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
        sent.push(...statementsOf(commandName, command));
      });
      sharded = new Set(
        [...schema.contentTypes.values()]
          .filter((type) => type.shard !== null)
          .flatMap(({ collectionName }) => [collectionName, `${collectionName}.drafts`]),
      );
    });
    after(async () => {
      await client?.close();
      await opened?.close();
    });

    const collections = async (): Promise<string[]> =>
      (await opened.store.db.listCollections({}, { nameOnly: true }).toArray())
        .map(({ name }) => name)
        .sort();

    for (const across of [true, false])
      it(`contain what their version requires, in ${across ? 'one command' : 'one command for each collection'}`, async function () {
        if (across && !opened.store.writesAcross) this.skip();
        await open(across);
        const calls = 150;
        const pool = {
          owners: await make(OWNER, 3),
          targets: await make(TARGET, 2),
          pages: await make(PAGE, 2, 'en'),
          marks: await make(MARK, calls),
        };
        const before = await collections();
        sent.length = 0;
        const report = await runCalls(documents, { seed: across ? 1 : 2, pool, writers: [0], calls });
        expect(report.broken).to.deep.equal([]);
        const written = sent.filter(({ collection }) => sharded.has(collection));
        expect(written.filter(({ kind }) => kind === 'update').length).to.be.greaterThan(20);
        expect(written.filter(({ kind }) => kind === 'delete').length).to.be.greaterThan(5);
        for (const statement of written) {
          expect(problemsOf(statement, key), JSON.stringify(statement)).to.deep.equal([]);
          // By _id alone every shard would take part in the transaction.
          if (statement.inTransaction)
            for (const field of key)
              expect(names(statement.filter, field), JSON.stringify(statement)).to.equal(true);
        }
        // A transaction over several shards cannot create one.
        expect(await collections()).to.deep.equal(before);
      });

    it('unique indexes start with the shard key', () => {
      for (const { collection, keys, options } of desiredIndexes(schema))
        if (options.unique && sharded.has(collection))
          expect(Object.keys(keys).slice(0, key.length), collection).to.deep.equal(key);
    });

    it('the doctor reports that this is not a cluster', async () => {
      const found = await examine(opened.store, schema, ABILITIES);
      expect(found.find(({ about }) => about === 'sharding')?.text).to.match(/not a sharded cluster/);
    });
  });
}
