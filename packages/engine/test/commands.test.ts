import { Double, Long } from 'bson';
import { expect } from 'chai';
import type { Document } from 'mongodb';
import { DECLARATIONS } from '../src/commands/table.js';
import { failure, itRejects, openEngine, type RejectedCommands, type TestEngine } from './support/engine.js';

const update = (statement: Document): Document => ({
  update: 'c',
  updates: [{ q: {}, u: { $set: { a: 1 } }, ...statement }],
});

const REFUSED: RejectedCommands = {
  'an unknown field of find': [{ find: 'c', filtr: { a: 2 } }, 40415],
  'an unknown field of insert': [{ insert: 'c', documents: [{}], odered: true }, 40415],
  'an unknown field of update': [{ ...update({}), multi: true }, 40415],
  'an unknown field of a statement': [update({ mlti: true }), 40415],
  'an unknown field of delete': [{ delete: 'c', deletes: [{ q: {}, limit: 0, one: 1 }] }, 40415],
  'an unknown field of aggregate': [{ aggregate: 'c', pipeline: [], cursor: {}, batchSize: 1 }, 40415],
  'an unknown field of a cursor': [{ aggregate: 'c', pipeline: [], cursor: { size: 1 } }, 40415],
  'an unknown field of count': [{ count: 'c', filter: {} }, 40415],
  'an unknown field of distinct': [{ distinct: 'c', key: 'a', filter: {} }, 40415],
  'an unknown field of createIndexes': [
    { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }], build: 1 },
    40415,
  ],
  'an unknown field of collMod': [{ collMod: 'c', valdator: {} }, 40415],
  'an unknown field of create': [{ create: 'x', cappd: true }, 40415],
  'an unknown field of findAndModify': [{ findAndModify: 'c', remove: true, filter: {} }, 40415],
  'a filter that is a number': [{ find: 'c', filter: 5 }, 14],
  'a number for multi': [update({ multi: 1 }), 14],
  'a number for upsert': [update({ upsert: 1 }), 14],
  'a number for ordered': [{ ...update({}), ordered: 1 }, 14],
  'a number for allowDiskUse': [{ find: 'c', allowDiskUse: 1 }, 14],
  'null for allowDiskUse': [{ find: 'c', allowDiskUse: null }, 14],
  'a string for new': [{ findAndModify: 'c', update: {}, new: 'yes' }, 14],
  'a document for arrayFilters': [update({ arrayFilters: {} }), 14],
  'a number among updates': [{ update: 'c', updates: [5] }, 14],
  'a statement without q': [{ update: 'c', updates: [{ u: { $set: { a: 1 } } }] }, 40414],
  'a statement without u': [{ update: 'c', updates: [{ q: {} }] }, 40414],
  'missing updates': [{ update: 'c' }, 40414],
  'missing documents': [{ insert: 'c' }, 40414],
  'a delete without limit': [{ delete: 'c', deletes: [{ q: {} }] }, 40414],
  'a delete of two': [{ delete: 'c', deletes: [{ q: {}, limit: 2 }] }, 9],
  'aggregate without a pipeline': [{ aggregate: 'c', cursor: {} }, 40414],
  'distinct without a key': [{ distinct: 'c' }, 40414],
  'a key with a null byte': [{ distinct: 'c', key: 'a\0b' }, 31032],
  'a negative limit of find': [{ find: 'c', limit: -1 }, 51024],
  'a negative batch size': [{ aggregate: 'c', pipeline: [], cursor: { batchSize: -1 } }, 51024],
  'a hint that is a number': [{ find: 'c', hint: 1 }, 9],
  'a name that is a number': [{ find: 1 }, 73],
  'renameCollection outside admin': [{ renameCollection: 'a.b', to: 'a.c' }, 13],
  'an invalid filter, with no documents': [{ count: 'none', query: { a: { $bogus: 1 } } }, 2],
  'an unknown validation level': [{ create: 'x', validationLevel: 'nope' }, 2],
  'an unknown read concern': [{ find: 'c', readConcern: { level: 'nope' } }, 9],
  'a read concern that is a string': [{ find: 'c', readConcern: 'local' }, 9],
  'an unknown field of a read concern': [{ find: 'c', readConcern: { lvl: 'local' } }, 72],
  'read concern majority for a write': [
    { insert: 'c', documents: [{}], readConcern: { level: 'majority' } },
    72,
  ],
  'a negative write concern': [{ insert: 'c', documents: [{}], writeConcern: { w: -3 } }, 9],
  'a write concern for find': [{ find: 'c', writeConcern: { w: 1 } }, 72],
  'another API version': [{ find: 'c', apiVersion: '2' }, 322],
  'apiStrict without apiVersion': [{ find: 'c', apiStrict: true }, 4886600],
  'a command outside the Stable API': [{ collStats: 'c', apiVersion: '1', apiStrict: true }, 323],
  'a field outside the Stable API': [
    { find: 'c', showRecordId: true, apiVersion: '1', apiStrict: true },
    323,
  ],
  'a collation without a locale': [{ find: 'c', collation: { strength: 1 } }, 40414],
  'an unknown locale': [{ find: 'c', collation: { locale: 'xx_invalid' } }, 2],
  'a strength of 6': [{ find: 'c', collation: { locale: 'en', strength: 6 } }, 2],
  'listCollections with includePendingDrops as a string': [
    { listCollections: 1, includePendingDrops: 'x' },
    14,
  ],
  'killCursors with an invalid name': [{ killCursors: { a: 1 }, cursors: [] }, 2],
  'an expiry of documents on a collection that is not clustered': [
    { collMod: 'c', expireAfterSeconds: 1 },
    72,
  ],
  'an undefined variable in an explained command': [
    { explain: { find: 'c', filter: { $expr: { $eq: ['$a', '$$none'] } } } },
    17276,
  ],
  'an expression in the filter of an element': [
    { find: 'c', projection: { a: { $elemMatch: { $expr: true } } } },
    224,
  ],
  'an expression on an element': [{ find: 'c', filter: { a: { $elemMatch: { $expr: true } } } }, 2],
  'an expression in an upsert': [
    { findAndModify: 'c', query: { $expr: true }, update: { $set: { b: 1 } }, upsert: true },
    224,
  ],
  'an unknown field of a collation': [{ find: 'c', collation: { locale: 'en', strenght: 2 } }, 40415],
};

describe('embedded engine: command parameters', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine({ promoteValues: false });
    await engine.db.collection('c').insertOne({ a: 'A' });
  });
  after(() => engine.close());

  itRejects(REFUSED, () => engine.db);

  it("creates no index on the server's transactions", async () => {
    const indexes = [{ key: { a: 1 }, name: 'a' }];
    const config = engine.client.db('config');
    const error = await failure(config.command({ createIndexes: 'transactions', indexes }));
    expect(error.code).to.equal(20);
  });

  it('accepts numbers as booleans where MongoDB does', async () => {
    const c = engine.db.collection('numbers');
    const command = (rest: Document): Promise<Document> =>
      engine.db.command({ findAndModify: 'numbers', ...rest });
    await command({ query: { k: 1 }, update: { $set: { k: 1, n: 0 } }, upsert: 1 });
    const after = await command({
      query: { k: 1 },
      update: { $inc: { n: 1 } },
      new: Double.fromString('1.0'),
    });
    expect(Number(after['value']['n'])).to.equal(1);
    await command({ query: { k: 1 }, remove: Long.fromNumber(1) });
    expect(Number(await c.countDocuments())).to.equal(0);
  });

  it('treats equivalent collations as equal, whatever the type of their numbers', async () => {
    const c = engine.db.collection('c');
    const found = (strength: unknown): Promise<number> =>
      c
        .find({ a: 'a' }, { collation: { locale: 'en', strength: strength as number } })
        .toArray()
        .then((rows) => rows.length);
    expect(await found(new Double(2))).to.equal(1);
    expect(await found(2)).to.equal(1);
    expect(await found(new Double(3))).to.equal(0);
  });

  it('compares accents from the end if the collation says so', async () => {
    const c = engine.db.collection('accents');
    await c.insertMany(['côté', 'cote', 'coté', 'côte'].map((word) => ({ word })));
    const words = async (locale: string): Promise<unknown[]> =>
      (await c.find({}, { collation: { locale } }).sort({ word: 1 }).toArray()).map((row) => row['word']);
    expect(await words('fr_CA')).to.deep.equal(['cote', 'côte', 'coté', 'côté']);
    expect(await words('fr')).to.deep.equal(['cote', 'coté', 'côte', 'côté']);
  });

  it('reports which part of a write concern cannot be satisfied', async () => {
    const insert = { insert: 'w', documents: [{ a: 1 }], writeConcern: { w: 5 } };
    const error = await failure(engine.db.command(insert));
    expect((error as { result?: Document }).result?.['writeConcernError']?.code ?? error.code).to.equal(100);
    expect(Number(await engine.db.collection('w').countDocuments())).to.equal(1);
  });

  it('lists its commands', async () => {
    const { commands } = await engine.db.command({ listCommands: 1 });
    expect(commands).to.have.all.keys(Object.keys(DECLARATIONS));
    expect(commands['renameCollection']['adminOnly']).to.equal(true);
    expect(commands['find']['apiVersions']).to.deep.equal(['1']);
  });
});
