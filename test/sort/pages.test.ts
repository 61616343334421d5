/** The pages of a sorted list contain each entry once, in the order of the whole list, in whatever form it is read. */
import { expect } from 'chai';
import fc from 'fast-check';
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader } from '../../src/documents/read/reader.js';
import { FULL_ACCESS } from '../../src/documents/read/script-request.js';
import { paramsQuery } from '../../src/query/query.js';
import { formsFor } from '../../src/store/connection/engine.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { rounds } from '../support/rounds.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const PAGE = 'api::page.page';
const OWNER = 'api::owner.owner';
const LOCALES = ['en', 'fr'];
const own = { pluginOptions: { i18n: { localized: true } } };

const schema = schemaOf(
  typeFile('owner', { name: { type: 'string', unique: true } }),
  typeFile(
    'page',
    {
      slug: { type: 'uid', ...own },
      rank: { type: 'integer', ...own },
      owner: { type: 'relation', relation: 'manyToOne', target: OWNER },
    },
    { draftAndPublish: true, localized: true, options: { indexes: ['rank:desc'] } },
  ),
);

const KEYS = ['slug', 'rank', 'owner.name', 'createdAt', 'id'].flatMap((name) => [
  `${name}:asc`,
  `${name}:desc`,
]);

/** Few values, so that many entries have the same or none. Slugs are unique only among published entries. */
const entry = fc.record({
  slug: fc.constantFrom(null, 'a', 'b', 'c'),
  rank: fc.constantFrom(null, 0, 1, 2),
  owner: fc.constantFrom(null, 0, 1),
  locale: fc.constantFrom(...LOCALES),
});

describe('the pages of a sorted list', function () {
  this.timeout(300_000);
  let test: TestDocuments;
  let readers: readonly (readonly [form: string, reader: Reader])[];

  before(async () => {
    test = await testDocuments(schema, { plugins: { i18n: { defaultLocale: 'en', locales: LOCALES } } });
    const config = makeConfig('.', { plugins: { i18n: { defaultLocale: 'en', locales: LOCALES } } });
    readers = (['rows', 'sets'] as const).map((lookups) => {
      const form = { ...test.store.form, ...formsFor(test.store.engine, lookups) };
      return [lookups, createReader({ schema, store: { ...test.store, form }, config })] as const;
    });
  });
  after(() => test.close());

  const type = () => {
    const found = schema.contentTypes.get(PAGE);
    if (!found) throw new Error('no such type');
    return found;
  };

  it('do not overlap, and leave nothing out', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 5, maxLength: 40 }),
        fc.array(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 2 }), {
          minLength: 3,
          maxLength: 3,
        }),
        fc.integer({ min: 1, max: 7 }),
        async (entries, sorts, pageSize) => {
          const { db } = test.store;
          for (const name of ['pages', 'pages.drafts', 'owners', 'mangrove.claims'])
            await db.collection(name).deleteMany({});
          const owners = await test.documents.together(
            OWNER,
            ['x', 'y'].map((name) => ({ data: { name } })),
          );
          await test.documents.together(
            PAGE,
            entries.map(({ owner, locale, ...data }) => ({
              data: { ...data, owner: owner === null ? null : owners[owner] },
              locale,
            })),
          );
          for (const sort of sorts)
            for (const locale of LOCALES) {
              const inForms = await Promise.all(
                readers.map(async ([form, reader]) => {
                  const list = async (page: number, size: number) => {
                    const params = { sort, locale, status: 'draft', fields: ['id'] };
                    const pagination = { page, pageSize: size };
                    const query = paramsQuery({ ...params, pagination }, 'rest');
                    const { data } = await reader.list({ type: type(), query, caller: FULL_ACCESS });
                    return data.map(({ id }) => Number(id));
                  };
                  const whole = await list(1, 100);
                  const paged: number[] = [];
                  for (let page = 1; paged.length < whole.length || page === 1; page++) {
                    const ids = await list(page, pageSize);
                    paged.push(...ids);
                    if (ids.length === 0) break;
                  }
                  expect(paged, `${form} ${sort} ${locale}`).to.deep.equal(whole);
                  return whole;
                }),
              );
              const [first = [], ...others] = inForms;
              expect(new Set(first).size).to.equal(entries.filter((one) => one.locale === locale).length);
              for (const other of others) expect(other, `${sort} ${locale}`).to.deep.equal(first);
            }
        },
      ),
      { numRuns: rounds(3, 15, 'PROPERTY_RUNS') },
    ));
});
