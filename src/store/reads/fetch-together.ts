/** Combines reads of the same plan that are requested in the same turn of the event loop into one command. */
import type { Db } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { ofMany } from '../../pipeline/of-many.js';
import { fillSlots } from '../../pipeline/slots.js';
import type { CompiledRead, Stage } from '../../pipeline/types.js';
import { keyForms } from '../../schema/stored/key-forms.js';
import { documentIdOf, idOf } from '../../values/bson-bytes.js';
import { keyText } from '../../values/json-form.js';
import { oncePer } from '../../values/once-per.js';
import { databaseOf } from '../connection/collections.js';
import { newGatherer, orAtOnce } from '../connection/gather.js';
import type { Store } from '../connection/store.js';
import { type Fetch, fetchBatch } from './fetch-rows.js';

type RowsOf = (request: string, single: Fetch) => ReturnType<Fetch>;

/**
 * A plan is shared only by requests with the same grants, locale and filters, so no request gets rows that
 * its own command would not return.
 */
const pagesOf = oncePer((_: CompiledRead) => oncePer((_: Db) => new Map<string, Page>()));

/** A page of a plan, as long as somebody reads it: there are as many as values, so none is kept. */
interface Page {
  readonly rowsOf: RowsOf;
  readers: number;
}

/** The stages of a plan for several documents; false if there are none. */
const manyOf = oncePer(({ semiJoins, stages }: CompiledRead): readonly Stage[] | false =>
  semiJoins.length > 0 ? false : (ofMany(stages) ?? false),
);

/** The key of a page without a value, and of the rows of a page: the same for all requests. */
const PAGE = '';

interface FetchRequest {
  readonly store: Store;
  readonly read: CompiledRead;
  /** Null: the read is of a page. */
  readonly documentId: string | null;
  readonly value: string | null;
  readonly limit: number;
}

/**
 * The rows of a document or page, from a combined command if the plan and the request allow it. If there is
 * nothing to combine, or the combined read fails, the result of `single`.
 */
export async function fetchTogether(request: FetchRequest, single: Fetch): ReturnType<Fetch> {
  const { store, read, documentId, value } = request;
  // Sessions cannot be shared by requests.
  if (store.session || !isOn(documentId === null ? 'shared pages' : 'documents together')) return single();
  const pages = pagesOf(read)(databaseOf(store, read.source.type));
  const key = value ?? PAGE;
  const page = pages.get(key) ?? { rowsOf: newRowsOf(request), readers: 0 };
  pages.set(key, page);
  page.readers += 1;
  try {
    return await page.rowsOf(documentId ?? PAGE, single);
  } finally {
    page.readers -= 1;
    if (page.readers === 0 && value !== null) pages.delete(key);
  }
}

function newRowsOf({ store, read, documentId, value, limit }: FetchRequest): RowsOf {
  const makeRows = documentId === null ? rowsOfPage(read, value, limit) : rowsOfDocuments(read);
  if (!makeRows) return (_, single) => single();
  const { budget, session, ...anybody } = store;
  const find = newGatherer((ids) => makeRows(anybody, ids));
  return orAtOnce(async (id) => {
    const found = await find(id);
    if (found === null) return null;
    // An adopted document may exist under another form of the id, such as an ObjectId in upper case.
    return found.value ?? (read.source.type.storage && documentId !== null ? null : []);
  }, value === null);
}

type MakeRows = (store: Store, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Uint8Array[]>>;

function rowsOfDocuments(read: CompiledRead): MakeRows | null {
  const stages = manyOf(read);
  if (!stages) return null;
  const { storage } = read.source.type;
  return async (store, documentIds) => {
    const keys = storage ? documentIds.flatMap((id) => keyForms(storage.id, id)) : documentIds;
    const filled = [...fillSlots(stages, () => keys)];
    const rows = await wholeBatch({ store, read, stages: filled }, keys.length);
    return new Map(rows.map((row) => [storage ? keyText(idOf(row)) : documentIdOf(row), [row]]));
  };
}

function rowsOfPage(read: CompiledRead, value: string | null, limit: number): MakeRows | null {
  if (read.semiJoins.length > 0 || read.ordering) return null;
  const stages = fillSlots(read.stages, () => value);
  return async (store) => new Map([[PAGE, await wholeBatch({ store, read, stages }, limit)]]);
}

async function wholeBatch(
  {
    store,
    read,
    stages,
  }: { readonly store: Store; readonly read: CompiledRead; readonly stages: readonly Stage[] },
  limit: number,
): Promise<readonly Uint8Array[]> {
  const rows = await fetchBatch({ store, source: read.source, stages: [...stages] }, limit);
  if (!rows) throw new RangeError('more than fits in one answer');
  return rows;
}
