/** Lists that differ in one value share a plan and a command, which has no effect on the response. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createReader, type Reader } from '../../src/documents/read/reader.js';
import { newTotals } from '../../src/store/connection/totals.js';
import { everything, queryOf, type Reading, readConfig, readingOf } from '../support/reading.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 100);

const schema = schemaOf(
  typeFile(
    'thing',
    {
      slug: { type: 'string', unique: true },
      mail: { type: 'email', unique: true },
      name: { type: 'string' },
      kind: { type: 'enumeration', enum: ['a', 'b'] },
      day: { type: 'date' },
      rank: { type: 'integer' },
      facts: { type: 'json' },
      others: { type: 'relation', relation: 'oneToMany', target: 'api::thing.thing' },
    },
    { draftAndPublish: true },
  ),
);

const VALUES = ['a', 'b', 'c', 'B', 'none', '', 'null', 'true', '1', '01', '2024-05-01', 'a.b-c_~', 't1'];
const ODD = ['a%20b', 'a+b', 'a,b', '%C3%A4', '%zz', '[]', 'x'.repeat(300)];
const entry = (n: number, slug: unknown) => ({
  id: n,
  documentId: `t${n}`,
  locale: null,
  slug,
  mail: `${String(slug)}@example.org`,
  name: ['a', 'b', null][n % 3],
  kind: ['a', 'b'][n % 2],
  day: '2024-05-01',
  rank: n % 3,
  facts: 'a',
  others: ['t1', 't2'],
});
/** As other programs might have left them: one value twice, and one in a list. */
const SLUGS: readonly unknown[] = ['a', 'b', 'b', ['c', 'a'], '', null, 'B', '1', 'a.b-c_~', '2024-05-01'];
const things = SLUGS.map((slug, n) => entry(n + 1, slug));

const NAMES = [
  'slug',
  'mail',
  'name',
  'kind',
  'day',
  'rank',
  'facts',
  'id',
  'documentId',
  'others',
  'nothing',
];
const FORMS = [
  (name: string) => `filters[${name}][$eq]`,
  (name: string) => `filters[${name}]`,
  (name: string) => `filters%5B${name}%5D%5B%24eq%5D`,
  (name: string) => `filters[$and][0][${name}]`,
  (name: string) => `filters[$not][${name}]`,
  (name: string) => `filters[others][${name}]`,
  ...['$ne', '$eqi', '$in', '$in][0', '$null', '$lt', '$contains', '$odd'].map(
    (operator) => (name: string) => `filters[${name}][${operator}]`,
  ),
];
const BESIDE = [
  ...['', '', '', '', 'x=1', 'x=2', '_=1', 'fields=name', 'fields=slug', 'populate=others', 'sort=name'],
  ...['pageSize=1', 'pagination[pageSize]=1', 'pagination[page]=2', 'pagination[withCount]=false'],
  ...['status=draft', 'locale=*', '_q=a', 'filters[name]=a', 'filters[slug][$ne]=b', '%66ilters[name]=b'],
  ...['lookup=1', '__proto__=1', 'constructor=1', 'x[__proto__]=1', 'x=%zz', 'x', 'filters', 'filters=1'],
];

const shape = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...NAMES.slice(0, 3)) }, fc.constantFrom(...NAMES)),
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...FORMS.slice(0, 3)) }, fc.constantFrom(...FORMS)),
    fc.constantFrom(...BESIDE),
    fc.constantFrom(...BESIDE),
  )
  .map(
    ([name, form, before, after]) =>
      (value: string): string =>
        [before, `${form(name)}=${value}`, after].filter((part) => part !== '').join('&'),
  );
const value = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...VALUES) }, fc.constantFrom(...ODD));
/** Several values for each of a few query shapes. */
const questions = fc
  .tuple(fc.array(shape, { minLength: 1, maxLength: 3 }), fc.array(value, { minLength: 3, maxLength: 6 }))
  .map(([shapes, values]) => values.flatMap((each) => shapes.map((textOf) => textOf(each))));

describe('lists that differ in one value', function () {
  this.timeout(600_000);
  let reading: Reading;
  before(async () => {
    reading = await readingOf(schema, { things, 'things.drafts': things });
  });
  after(() => reading?.close());

  const newReader = (strictParams: boolean): Reader =>
    createReader({ schema, store: reading.test.store, config: readConfig({ strictParams }) });

  const answer = async (reader: Reader, query: string): Promise<string> => {
    const request = { type: reading.type('thing'), query: queryOf(query), caller: everything };
    try {
      const { json, pagination } = await reader.json(request, { target: 'list' });
      return `${json?.done().toString()} ${JSON.stringify(pagination)} ${await reader.count(request)}`;
    } catch (error) {
      return String(error);
    }
  };

  it('return what separate plans would return', () =>
    fc.assert(
      fc.asyncProperty(questions, fc.boolean(), async (texts, strict) => {
        const kept = newReader(strict);
        const alone: string[] = [];
        for (const each of texts) {
          alone.push(await answer(newReader(strict), each));
          expect(await answer(kept, each), each).to.equal(alone.at(-1));
        }
        expect(await Promise.all(texts.map((each) => answer(kept, each)))).to.deep.equal(alone);
      }),
      { numRuns: RUNS, endOnFailure: true },
    ));

  it('have their own totals where these are cached', async () => {
    const { store } = reading.test;
    for (const keep of [
      { maxAgeMS: 0, keptMS: 60_000 },
      { maxAgeMS: 60_000, keptMS: 0 },
    ]) {
      const totals = newTotals({ maxTimeMS: 5000, ...keep }, store.moves);
      const reader = createReader({ schema, store: { ...store, totals }, config: readConfig() });
      const totalOf = async (name: string): Promise<unknown> => {
        const query = queryOf(`filters[name]=${name}&pagination[pageSize]=1`);
        const request = { type: reading.type('thing'), query, caller: everything };
        return (await reader.json(request, { target: 'list' })).pagination?.['total'];
      };
      const found: unknown[] = [];
      for (const name of ['a', 'b', 'a', 'b', 'none']) found.push(await totalOf(name));
      expect(found).to.deep.equal([3, 4, 3, 4, 0]);
    }
  });
});
