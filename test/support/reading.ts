/** A reader of entries written by hand, for tests of reading. */
import type { Config } from '../../src/config/types.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import type { Reader, ReadRequest } from '../../src/documents/read/reader.js';
import type { RawObject } from '../../src/query/ast.js';
import { paramsQuery, type Query, textQuery } from '../../src/query/query.js';
import type { Caller } from '../../src/query/read-plan.js';
import type { ContentType, Schema } from '../../src/schema/types.js';
import { formsFor, type LookupSetting } from '../../src/store/connection/engine.js';
import { type TestStore, testStore } from './engine.js';

export type Rows = readonly Readonly<Record<string, unknown>>[];

export const everything: Caller = { grants: null };

/** A query string as in REST, or the parameters of a Document Service call. */
export const queryOf = (query: string | RawObject): Query =>
  typeof query === 'string' ? textQuery(query) : paramsQuery(query);

/** A query with full access. */
export const requestFor = (type: ContentType, query: string | RawObject): ReadRequest => ({
  type,
  query: queryOf(query),
  caller: everything,
});

/** The parts of the configuration that reading uses. */
export const readConfig = (
  rest: Partial<Config['rest']> = {},
): Pick<Config, 'rest' | 'documents' | 'query' | 'plugins'> =>
  ({
    rest: {
      prefix: '/api',
      defaultLimit: 25,
      maxLimit: 100,
      withCount: true,
      strictParams: false,
      componentIds: true,
      publicDrafts: true,
      ...rest,
    },
    documents: { strictParams: false, strictRelations: true, stableIds: true },
    query: {},
    plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr'] } },
  }) as unknown as Pick<Config, 'rest' | 'documents' | 'query' | 'plugins'>;

export interface Reading {
  readonly reader: Reader;
  readonly test: TestStore;
  type(name: string): ContentType;
  close(): Promise<void>;
}

/** `collections`: entries by collection name. */
export async function readingOf(
  schema: Schema,
  collections: Readonly<Record<string, Rows>>,
  lookups: LookupSetting = 'auto',
): Promise<Reading> {
  const test = await testStore();
  const store = { ...test.store, form: { ...test.store.form, ...formsFor(test.store.engine, lookups) } };
  for (const [name, rows] of Object.entries(collections))
    if (rows.length > 0) await test.store.db.collection(name).insertMany(rows.map((row) => ({ ...row })));
  return {
    test,
    reader: createReader({ schema, store, config: readConfig() }),
    type(name) {
      const type = schema.contentTypes.get(name.includes('::') ? name : `api::${name}.${name}`);
      if (!type) throw new Error(`no content type ${name}`);
      return type;
    },
    close: () => test.close(),
  };
}
