/** Documents whose `_id` is of any BSON type: a response names each, and that name leads to it and to no other. */
import {
  Binary,
  BSONSymbol,
  Code,
  Decimal128,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  type ObjectId,
  Timestamp,
} from 'bson';
import { expect } from 'chai';
import { has } from '../support/engines/lacks.js';
import { type AdoptedServer, relation, SHOP, startAdopted } from './shops.js';

const FILES = {
  'key/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'key', pluralName: 'keys', displayName: 'Key' },
    pluginOptions: { mangrove: { storage: { collection: 'keys', id: 'any', write: true } } },
    attributes: {
      n: { type: 'integer' },
      note: { type: 'string' },
      next: relation('manyToOne', 'key'),
    },
  },
};

/** Each with its documentId. */
const KEYS: readonly (readonly [key: unknown, documentId: string])[] = [
  [SHOP(1), SHOP(1).toHexString()],
  ['text', 'text'],
  ['', ''],
  ['with/slash and ?', 'with/slash and ?'],
  [new Int32(5), '5'],
  [new Double(1.5), '1.5'],
  [new Double(Number.NaN), 'NaN'],
  [new Double(Number.POSITIVE_INFINITY), 'Infinity'],
  [new Double(2 ** 60), '1152921504606847000'],
  [new Double(1e300), '1e+300'],
  [Long.MAX_VALUE, '9223372036854775807'],
  [Decimal128.fromString('0.1'), '0.1'],
  [Decimal128.fromString('2.50'), '2.5'],
  [Decimal128.fromString('1234567890123456789012.25'), '1234567890123456789012.25'],
  [Decimal128.fromString('1E+6000'), '1E+6000'],
  [true, 'true'],
  [new Date(5), '1970-01-01T00:00:00.005Z'],
  [new Date(8.64e15), '+275760-09-13T00:00:00.000Z'],
  [new Date(-1e14), '-001199-02-15T14:13:20.000Z'],
  [new Timestamp({ t: 1, i: 2 }), '{"$timestamp":{"t":1,"i":2}}'],
  [new Binary(Buffer.alloc(16, 7), 4), '07070707-0707-0707-0707-070707070707'],
  [new Binary(Buffer.alloc(16, 8), 3), '08080808-0808-0808-0808-080808080808'],
  [new Binary(Buffer.from('abc')), '{"$binary":{"base64":"YWJj","subType":"00"}}'],
  [new Code('x'), '{"$code":"x"}'],
  ...(has('an _id of every BSON type')
    ? ([
        [new Binary(Buffer.from('abc'), 5), '{"$binary":{"base64":"YWJj","subType":"05"}}'],
        [new Code('x', { a: 1 }), '{"$code":"x","$scope":{"a":{"$numberInt":"1"}}}'],
        [new BSONSymbol('symbol'), 'symbol'],
      ] as const)
    : []),
  [new MinKey(), '{"$minKey":1}'],
  [new MaxKey(), '{"$maxKey":1}'],
  [{ a: new Int32(1), b: { c: SHOP(2) } }, `{"a":{"$numberInt":"1"},"b":{"c":{"$oid":"${SHOP(2)}"}}}`],
];

/** What no document is called by, although it may be read as a condition, a pattern or another form of a key. */
const STRANGERS = [
  '{"$regularExpression":{"pattern":"t","options":""}}',
  '{"$gt":""}',
  '{"$ne":null}',
  '{"$minKey":2}',
  '{"$numberInt":"5"}',
  '{"a":1',
  '[1]',
  '["text"]',
  '05',
  '5.0',
  '0x5',
  'undefined',
  'null',
  'out of range',
  '1E+7000',
  '9'.repeat(40),
];

describe('documents by an _id of any type', () => {
  let server: AdoptedServer;
  const collection = () => server.project.store.db.collection('keys');
  before(async () => {
    server = await startAdopted(FILES, {});
    for (const [n, [_id]] of KEYS.entries())
      await collection()
        .insertOne({ _id: _id as ObjectId, n }, { forceServerObjectId: true })
        .catch((error: Error) => expect.fail(`${EJSON.stringify({ _id })}: ${error.message}`));
  });
  after(() => server?.close());

  const path = (documentId: string): string => `/api/keys/${encodeURIComponent(documentId)}`;

  it('a response gives the documentId, by which one is read, filtered, written and referred to', async () => {
    for (const [n, [key, documentId]] of KEYS.entries()) {
      const what = EJSON.stringify({ _id: key });
      const listed = await server.get(`/api/keys?filters[n]=${n}`);
      expect(listed.at('data.0.documentId'), what).to.equal(documentId);
      const filtered = await server.get(`/api/keys?filters[documentId]=${encodeURIComponent(documentId)}`);
      expect(filtered.at('data'), what).to.have.length(1);
      expect(filtered.at('data.0.n'), what).to.equal(n);
      // The path of the list.
      if (documentId === '') continue;
      const one = await server.get(path(documentId));
      expect([one.status, one.at('data.n')], what).to.deep.equal([200, n]);
      const put = await server.sent(path(documentId), 'PUT', { note: `note ${n}`, next: documentId });
      expect([put.status, put.at('data.n')], `${what} ${JSON.stringify(put.body)}`).to.deep.equal([200, n]);
      expect((await collection().findOne({ n }))?.['note'], what).to.equal(`note ${n}`);
      const next = await server.get(`${path(documentId)}?populate=next`);
      expect(next.at('data.next.documentId') ?? null, what).to.equal(documentId);
    }
    expect(await collection().countDocuments()).to.equal(KEYS.length);
  });

  it('a list also shows an _id that is null, which no documentId leads to', async () => {
    await collection().insertOne({ _id: null as never, n: -1 }, { forceServerObjectId: true });
    expect((await server.get('/api/keys?filters[n]=-1')).at('data.0.documentId')).to.equal('null');
    for (const [method, status] of [
      ['GET', 404],
      ['PUT', 404],
      ['DELETE', 204],
    ] as const)
      expect(
        (await server.sent(path('null'), method, method === 'PUT' ? { note: '' } : undefined)).status,
        method,
      ).to.equal(status);
    expect((await collection().deleteOne({ n: -1 })).deletedCount).to.equal(1);
  });

  it('nothing else leads to a document', async () => {
    for (const documentId of STRANGERS) {
      expect((await server.get(path(documentId))).status, documentId).to.equal(404);
      expect((await server.sent(path(documentId), 'DELETE')).status, documentId).to.be.oneOf([204, 404]);
      const filtered = await server.get(`/api/keys?filters[documentId]=${encodeURIComponent(documentId)}`);
      expect(filtered.at('data'), documentId).to.deep.equal([]);
    }
    expect(await collection().countDocuments()).to.equal(KEYS.length);
  });

  it('a DELETE by it removes one document', async () => {
    for (const [at, [, documentId]] of KEYS.filter(([, text]) => text !== '').entries()) {
      expect((await server.sent(path(documentId), 'DELETE')).status, documentId).to.equal(204);
      expect(await collection().countDocuments(), documentId).to.equal(KEYS.length - at - 1);
    }
  });
});
