import { Long } from 'bson';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { failure, itRejects, openEngine, type RejectedCommands, type TestEngine } from './support/engine.js';

const index = (key: Document, options: Document = {}): Document => ({
  createIndexes: 'c',
  indexes: [{ key, name: 'x', ...options }],
});
const view = (viewOn: string, rest: Document = {}): Document => ({
  create: 'v',
  viewOn,
  pipeline: [],
  ...rest,
});

const REFUSED: RejectedCommands = {
  'an index on more than 32 fields': [
    index(Object.fromEntries([...Array(33).keys()].map((i) => [`f${i}`, 1]))),
    13103,
  ],
  'an empty segment in a path': [index({ 'a..b': 1 }), 67],
  'a path that starts with a dollar sign': [index({ $a: 1 }), 67],
  'a name with a null byte': [index({ a: 1 }, { name: 'a\0b' }), 67],
  'an empty name': [index({ a: 1 }, { name: '' }), 67],
  'the name *': [index({ a: 1 }, { name: '*' }), 2],
  'a boolean in a key': [index({ a: true }), 67],
  'a zero in a key': [index({ a: 0 }), 67],
  'a partial filter that is a number': [index({ a: 1 }, { partialFilterExpression: 5 }), 14],
  'a partial filter with $ne': [index({ a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }), 67],
  'a negative TTL': [index({ a: 1 }, { expireAfterSeconds: -1 }), 67],
  'a TTL as text': [index({ a: 1 }, { expireAfterSeconds: '5' }), 67],
  'an infinite TTL': [index({ a: 1 }, { expireAfterSeconds: Long.fromNumber(2 ** 53) }), 67],
  'a TTL index on two fields': [index({ a: 1, b: 1 }, { expireAfterSeconds: 5 }), 67],
  'a unique hashed index': [index({ a: 'hashed' }, { unique: true }), 16764],
  'two hashed fields': [index({ a: 'hashed', b: 'hashed' }), 31303],
  'options of the index on _id': [index({ _id: 1 }, { sparse: true }), 197],
  'an unknown option': [index({ a: 1 }, { frob: 1 }), 197],
  'a string for unique': [index({ a: 1 }, { unique: 'yes' }), 14],
  'collMod of an index without a change': [{ collMod: 'c', index: { name: '_id_' } }, 72],
  'collMod of no index': [{ collMod: 'c', index: { hidden: true } }, 72],
  'viewOn of a collection': [{ collMod: 'c', viewOn: 'd', pipeline: [] }, 72],
  'dropping the index on _id by its key': [{ dropIndexes: 'c', index: { _id: 1 } }, 72],
  'an unknown locale': [{ create: 'x', collation: { locale: 'xx_invalid' } }, 2],
  'capped without size': [{ create: 'x', capped: true }, 72],
  'no index on _id': [{ create: 'x', autoIndexId: false }, 72],
  'size without capped': [{ create: 'x', size: 4096 }, 72],
  'a validator on a view': [view('c', { validator: {} }), 72],
  'a pipeline without viewOn': [{ create: 'x', pipeline: [] }, 72],
  'a view on itself': [view('v'), 5],
  'a view that joins itself': [
    view('c', { pipeline: [{ $lookup: { from: 'v', as: 'a', pipeline: [] } }] }),
    5,
  ],
  'a view that writes': [view('c', { pipeline: [{ $out: 'x' }] }), 167],
  'a view with an unknown stage': [view('c', { pipeline: [{ $frob: 1 }] }), 40324],
  'a system collection': [{ insert: 'system.views', documents: [{}] }, 73],
};

describe('embedded engine: collections, indexes and views', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
    await engine.db.collection('c').insertOne({ a: 'A' });
  });
  after(() => engine.close());

  itRejects(REFUSED, () => engine.db);

  it('rejects renaming a collection to itself, and keeps its documents', async () => {
    const ns = `${engine.db.databaseName}.c`;
    const rename = (to: string): Promise<Document> =>
      engine.client.db('admin').command({ renameCollection: ns, to, dropTarget: true });
    expect((await failure(rename(ns))).code).to.equal(20);
    expect((await failure(rename(`${engine.db.databaseName}.system.js2`))).code).to.equal(73);
    expect(await engine.db.collection('c').countDocuments()).to.equal(1);
  });

  it("rejects a cycle of views, and a collation other than the view's", async () => {
    const { db } = engine;
    await db.createCollection('one', { viewOn: 'c' });
    await db.createCollection('two', { viewOn: 'one' });
    const cycle = { collMod: 'one', viewOn: 'two', pipeline: [] };
    expect((await failure(db.command(cycle))).code).to.equal(5);
    const collation = { locale: 'en', strength: 2 };
    expect((await failure(db.command({ create: 'three', viewOn: 'two', collation }))).code).to.equal(167);
    expect((await failure(db.collection('one').find({}, { collation }).toArray())).code).to.equal(167);
  });

  it('counts the views below a new one and those above it', async () => {
    const { db } = engine;
    for (let i = 1; i <= 20; i++) {
      const below = `deep${i + 1}`;
      const lookup = { $lookup: { from: below, localField: 'a', foreignField: 'a', as: 'l' } };
      await db.createCollection(`deep${i}`, { viewOn: below, pipeline: [lookup, { $unionWith: below }] });
    }
    for (const options of [
      { create: 'deep21', viewOn: 'deep22' },
      { create: 'deep0', viewOn: 'deep1' },
      { create: 'deep0', viewOn: 'c', pipeline: [{ $unionWith: 'deep1' }] },
    ])
      expect((await failure(db.command(options))).code, options.create).to.equal(165);
  });

  it('counts lookups within those of views', async () => {
    const { db } = engine;
    const joinOf = (from: string, pipeline: Document[] = []): Document => ({
      $lookup: { from, pipeline, as: 'l' },
    });
    await db.collection('flat').insertOne({});
    for (let i = 0; i < 18; i++)
      await db.createCollection(`joins${i}`, { viewOn: 'flat', pipeline: [joinOf(`joins${i - 1}`)] });
    const read = (...stages: Document[]): Promise<Document[]> =>
      db.collection('flat').aggregate(stages).toArray();
    expect(await read(joinOf('flat', [joinOf('joins17')]))).to.have.length(1);
    expect((await failure(read(joinOf('flat', [joinOf('flat', [joinOf('joins17')])])))).code).to.equal(232);
  });

  it('rejects joining a view with a collation other than its own', async () => {
    const { db } = engine;
    await db.createCollection('plain', { viewOn: 'c' });
    for (const stage of [
      { $lookup: { from: 'plain', localField: 'a', foreignField: 'a', as: 'l' } },
      { $unionWith: 'plain' },
      {
        $graphLookup: { from: 'plain', startWith: 1, connectFromField: 'a', connectToField: 'a', as: 'l' },
      },
    ]) {
      const rows = (options: Document): Promise<unknown> =>
        db.collection('c').aggregate([stage], options).toArray();
      expect((await failure(rows({ collation: { locale: 'en' } }))).code).to.equal(167);
      await rows({});
    }
  });

  it('rejects a database whose name differs only in case', async () => {
    const other = engine.client.db(engine.db.databaseName.toUpperCase());
    expect((await failure(other.collection('c').insertOne({}))).code).to.equal(13297);
  });

  it('creates another index with the same key if it covers other documents', async () => {
    const c = engine.db.collection('twice');
    await c.createIndex({ a: 1 }, { name: 'plain' });
    await c.createIndex({ a: 1 }, { name: 'sparse', sparse: true });
    await c.createIndex({ a: 1 }, { name: 'unique', unique: true });
    expect((await failure(c.createIndex({ a: 1 }, { name: 'again' }))).code).to.equal(85);
    expect((await failure(c.createIndex({ b: 1 }, { name: 'plain' }))).code).to.equal(86);
    expect((await failure(engine.db.command({ dropIndexes: 'twice', index: { a: 1 } }))).code).to.equal(181);
  });

  it('accepts dropDups, and no more than 64 indexes', async () => {
    const c = engine.db.collection('many');
    const specs = [...Array(63).keys()].map((i) => ({
      key: { [`f${i}`]: 1 },
      name: `f${i}`,
      dropDups: true,
    }));
    await engine.db.command({ createIndexes: 'many', indexes: specs });
    expect((await c.indexes()).length).to.equal(64);
    expect((await failure(c.createIndex({ more: 1 }))).code).to.equal(67);
  });

  it('accepts 1 for true in index options', async () => {
    const indexes = [{ key: { k: 1 }, name: 'k', unique: 1, sparse: 0 }];
    await engine.db.command({ createIndexes: 'numbers', indexes });
    const c = engine.db.collection('numbers');
    await c.insertOne({ k: 1 });
    expect((await failure(c.insertOne({ k: 1 }))).code).to.equal(11000);
    expect((await c.indexes())[1]).to.deep.equal({ v: 2, key: { k: 1 }, name: 'k', unique: true });
  });

  it('rejects arrays in a hashed index, and field names that are also positions', async () => {
    const c = engine.db.collection('odd');
    await c.createIndex({ h: 'hashed' });
    await c.createIndex({ 'a.0': 1 });
    expect((await failure(c.insertOne({ h: [1] }))).code).to.equal(16766);
    expect((await failure(c.insertOne({ a: [{ 0: 1 }] }))).code).to.equal(16746);
    await c.createIndex({ k: 'hashed', more: 1 });
    expect((await failure(c.insertOne({ more: [1] }))).code).to.equal(16766);
    await c.insertOne({ a: [5], h: 1 });
  });

  it('lists the full collation, also on the index on _id, and the defaults of a validator', async () => {
    const { db } = engine;
    await db.createCollection('fr', { collation: { locale: 'fr_CA' }, validator: { a: 1 } });
    const [listed] = await db.listCollections({ name: 'fr' }).toArray();
    const { options, idIndex } = listed as Document;
    expect(options['collation']).to.include({
      locale: 'fr_CA',
      strength: 3,
      backwards: true,
      caseFirst: 'off',
    });
    expect(idIndex['collation']).to.deep.equal(options['collation']);
    expect(options).to.include({ validationLevel: 'strict', validationAction: 'error' });
  });

  it('returns what collMod has changed', async () => {
    const c = engine.db.collection('ttl');
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 10 });
    const change = { collMod: 'ttl', index: { keyPattern: { at: 1 }, expireAfterSeconds: 20 } };
    expect(await engine.db.command(change)).to.include({
      expireAfterSeconds_old: 10,
      expireAfterSeconds_new: 20,
    });
  });
});
