import type { Document } from 'bson';
import { expect } from 'chai';
import { bodySection, connectRaw, int32 } from './raw-messages.js';
import { failure, openEngine, type TestEngine } from './support/engine.js';

const element = (type: number, name: string, ...value: Buffer[]): Buffer =>
  Buffer.concat([Buffer.of(type), Buffer.from(`${name}\0`), ...value]);
const documentOf = (...elements: Buffer[]): Buffer => {
  const body = Buffer.concat([...elements, Buffer.of(0)]);
  return Buffer.concat([int32(body.length + 4), body]);
};
const string = (text: string): Buffer[] => [int32(text.length + 1), Buffer.from(`${text}\0`)];

/**
 * Values that only old programs wrote: undefined, a binary of subtype 2 without its inner length, a date beyond
 * JavaScript's range.
 */
const OLD: readonly Buffer[] = [
  documentOf(element(0x10, '_id', int32(1)), element(0x06, 'a')),
  documentOf(element(0x10, '_id', int32(2)), element(0x05, 'b', int32(3), Buffer.of(2, 9, 8, 7))),
  documentOf(
    element(0x10, '_id', int32(3)),
    element(0x09, 'd', Buffer.of(1, 0, 0, 0, 0, 0, 0, 0x70)),
    element(0x0a, 'a'),
  ),
];

describe('embedded engine: values of old data', () => {
  let engine: TestEngine;
  before(async () => {
    engine = await openEngine();
    const documents = documentOf(...OLD.map((bytes, i) => element(0x03, String(i), bytes)));
    const insert = documentOf(
      element(0x02, 'insert', ...string('old')),
      element(0x02, '$db', ...string(engine.db.databaseName)),
      element(0x04, 'documents', documents),
    );
    const connection = connectRaw(engine.uri);
    expect((await connection.send(bodySection(insert)))['n']).to.equal(3);
    connection.close();
  });
  after(() => engine.close());

  const ids = async (filter: Document): Promise<unknown[]> =>
    (
      await engine.db
        .collection('old')
        .find(filter, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .toArray()
    ).map((row) => row._id);

  it('undefined is a separate type that matches null, also through an index', async () => {
    for (const index of [false, true]) {
      if (index) await engine.db.collection('old').createIndex({ a: 1 });
      expect(await ids({ a: { $type: 6 } })).to.deep.equal([1]);
      expect(await ids({ a: null })).to.deep.equal([1, 2, 3]);
      expect(await ids({ a: { $in: [null, 5] } })).to.deep.equal([1, 2, 3]);
      expect(await ids({ a: { $exists: true } })).to.deep.equal([1, 3]);
    }
  });

  it('undefined is joined where null is', async () => {
    const rows = await engine.db
      .collection('old')
      .aggregate([
        { $match: { _id: { $in: [1, 2] } } },
        { $lookup: { from: 'old', localField: 'a', foreignField: 'a', as: 'same' } },
        { $project: { same: '$same._id' } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    const all = [1, 2, 3];
    expect(rows).to.deep.equal([
      { _id: 1, same: all },
      { _id: 2, same: all },
    ]);
  });

  it('undefined is a value of its own in distinct and $group, also through an index', async () => {
    const old = engine.db.collection('old');
    await old.createIndex({ a: 1 });
    const stages = [{ $group: { _id: '$a' } }, { $set: { type: { $type: '$_id' } } }, { $sort: { type: 1 } }];
    const answers = async (hint?: Document): Promise<unknown> => {
      const groups = await old.aggregate(stages, hint && { hint }).toArray();
      const { values } = await engine.db.command({ distinct: 'old', key: 'a', ...(hint && { hint }) });
      return { types: groups.map((group) => group['type']), values: values.length };
    };
    const plain = await answers({ $natural: 1 });
    expect(plain).to.deep.equal({ types: ['null', 'undefined'], values: 2 });
    expect(await answers()).to.deep.equal(plain);
  });

  it('undefined counts as null in expressions', async () => {
    const rows = await engine.db
      .collection('old')
      .aggregate([
        { $match: { _id: 1 } },
        { $project: { type: { $type: '$a' }, sum: { $add: ['$a', 1] }, or: { $ifNull: ['$a', 'none'] } } },
      ])
      .toArray();
    expect(rows).to.deep.equal([{ _id: 1, type: 'undefined', sum: null, or: 'none' }]);
  });

  it('a date out of range can be compared and converted, but its parts are rejected', async () => {
    const old = engine.db.collection('old');
    expect(await ids({ d: { $gt: new Date() } })).to.deep.equal([3]);
    const [row] = await old
      .aggregate([{ $match: { _id: 3 } }, { $project: { n: { $toString: { $toLong: '$d' } } } }])
      .toArray();
    expect(row?.['n']).to.equal('8070450532247928833');
    expect((await failure(old.aggregate([{ $project: { y: { $year: '$d' } } }]).toArray())).code).to.equal(
      238,
    );
  });

  it('an update leaves all of them unchanged', async () => {
    const old = engine.db.collection('old');
    await old.updateMany({}, { $set: { z: 1 } });
    await old.aggregate([{ $set: { y: 1 } }, { $merge: { into: 'old' } }]).toArray();
    await old.updateMany({}, { $unset: { z: 1, y: 1 } });
    const stored = await old.find({}, { raw: true, sort: { _id: 1 } }).toArray();
    expect(stored.map((bytes) => Buffer.from(bytes as unknown as Uint8Array).toString('hex'))).to.deep.equal(
      OLD.map((bytes) => bytes.toString('hex')),
    );
  });
});
