/** Combines reads of single documents by the same plan that are requested in the same turn of the event loop into one command. */
import type { Db } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import { batchByDocumentId } from '../../pipeline/batch-by-document-id.js';
import { fillSlots } from '../../pipeline/slots.js';
import type { CompiledRead, Stage } from '../../pipeline/types.js';
import { keyForms } from '../../schema/stored/key-forms.js';
import { documentIdOf, idOf } from '../../values/bson-bytes.js';
import { keyText } from '../../values/json-form.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import { batchedLookup, batchUnderLoad } from '../connection/batch-per-tick.js';
import { databaseOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import { type Fetch, fetchBatch } from './fetch-rows.js';
import type { ReadScope } from './read-scope.js';

type RowsOf = (documentId: string, single: Fetch) => ReturnType<Fetch>;

/**
 * A plan is shared only by requests with the same grants, locale and filters, so no request gets rows that
 * its own command would not return. Null: reads of this plan cannot be combined.
 */
const rowsOf = oncePer((_: CompiledRead) => new Map<Db, RowsOf | null>());

/** The stages of a plan for several documents; null if there are none. */
const manyOf = ({ semiJoins, stages }: CompiledRead): readonly Stage[] | null =>
  semiJoins.length > 0 ? null : batchByDocumentId(stages);

interface FetchRequest {
  readonly scope: ReadScope;
  readonly read: CompiledRead;
  readonly documentId: string;
}

/**
 * The rows of a document, from a combined command if the plan and the request allow it. If there is nothing to
 * combine, or the combined read fails, the result of `single`.
 */
export async function fetchTogether(
  { scope: { store, session }, read, documentId }: FetchRequest,
  single: Fetch,
): ReturnType<Fetch> {
  // Sessions cannot be shared by requests.
  // Nor can the values of their callers.
  if (session || read.bound || !isOn('documents together')) return single();
  const find = memberOf(rowsOf(read), databaseOf(store, read.source.type), () => newRowsOf(store, read));
  return find ? find(documentId, single) : single();
}

function newRowsOf(store: Store, read: CompiledRead): RowsOf | null {
  const stages = manyOf(read);
  if (!stages) return null;
  const { source } = read;
  const { storage } = source.type;
  const find = batchedLookup(async (documentIds) => {
    const keys = storage ? documentIds.flatMap((id) => keyForms(storage.id, id)) : documentIds;
    const filled = [...fillSlots(stages, () => keys)];
    const rows = await fetchBatch({ scope: { store }, source, stages: filled }, keys.length);
    if (!rows) throw new RangeError('more than fits in one answer');
    return new Map(rows.map((row) => [storage ? keyText(idOf(row)) : documentIdOf(row), [row]]));
  });
  return batchUnderLoad(async (id) => {
    const found = await find(id);
    if (found === null) return null;
    // An adopted document may exist under another form of the id, such as an ObjectId in upper case.
    return found.value ?? (storage ? null : []);
  });
}
