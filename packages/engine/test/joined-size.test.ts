import { expect } from 'chai';
import { type Document, MongoClient } from 'mongodb';
import { type RunningEngine, startEngine } from '../src/index.js';
import { failure, removeFolder, temporaryFolder } from './support/engine.js';

describe('embedded engine: rows that lookups make too large', () => {
  const folder = temporaryFolder();
  let engine: RunningEngine;
  let client: MongoClient;
  before(async () => {
    engine = await startEngine({ dataDir: folder });
    client = await MongoClient.connect(engine.uri);
    const rows = Array.from({ length: 100 }, (_, i) => ({ _id: i as never, text: 'x'.repeat(100_000) }));
    await client.db('d').collection('c').insertMany(rows);
  });
  after(async () => {
    await client.close();
    await engine.close();
    removeFolder(folder);
  });

  const run = (stages: Document[]) =>
    client
      .db('d')
      .collection('c')
      .aggregate([{ $limit: 1 }, { $project: { _id: 1 } }, ...stages])
      .toArray();
  const all = (as: string): Document => ({ $lookup: { from: 'c', pipeline: [], as } });
  /** A stage that fails when it is reached. */
  const fails: Document = { $set: { never: { $toInt: '$_id.x' }, x: { $divide: [1, '$_id'] } } };

  const LARGE: readonly (readonly [string, Document[]])[] = [
    ['two lists', [all('a'), all('b'), fails]],
    ['two lists and a field set between them', [all('a'), { $set: { n: 1 } }, all('b'), all('e'), fails]],
    [
      'two lists, looked up in turn',
      [all('a'), { $set: { c: [1] } }, all('b'), { $set: { d: '$c' } }, fails],
    ],
  ];
  for (const [name, stages] of LARGE)
    it(`${name}: fails before the next stage`, async () => {
      expect((await failure(run(stages))).code).to.equal(10334);
    });

  const FITS: readonly (readonly [string, Document[]])[] = [
    ['one list', [all('a')]],
    ['a list that another one replaces', [all('a'), all('a')]],
    ['a list that is replaced', [all('a'), all('b'), { $set: { a: 1 } }]],
    ['a list with a replaced field', [all('a'), all('b'), { $set: { 'a.text': 1 } }]],
    ['a list that is projected away', [all('a'), all('b'), { $project: { b: 1 } }]],
    ['a list that is unset', [all('a'), all('b'), { $unset: 'a' }]],
    ['lists that are counted', [all('a'), all('b'), { $count: 'n' }]],
    ['a row that is filtered out', [all('a'), all('b'), { $match: { _id: -1 } }]],
    [
      'lists in a lookup that returns a part of them',
      [
        { $lookup: { from: 'c', pipeline: [{ $limit: 1 }, all('a'), all('b')], as: 'l' } },
        { $project: { _id: 1 } },
      ],
    ],
  ];
  for (const [name, stages] of FITS)
    it(`${name}: succeeds`, async () => {
      expect(await run(stages)).to.have.length(stages.some((stage) => '$match' in stage) ? 0 : 1);
    });
});
