/** Reads of single documents by one plan that begin in one turn: one command for all of them. */
import type { Db } from 'mongodb';
import { ofMany } from '../pipeline/of-many.js';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead, Stage } from '../pipeline/types.js';
import { documentIdOf } from '../values/bson-bytes.js';
import { oncePer } from '../values/once-per.js';
import { askAtOnce } from './ask.js';
import type { Store } from './client.js';
import { databaseOf } from './collections.js';
import { newGatherer } from './gather.js';

type RowOf = ReturnType<typeof newGatherer<Uint8Array>>;

/** Plans with the same grants, locale and filters are one plan, so that nobody gets a row that a command of its own would not find. */
const gatherersOf = oncePer((_: CompiledRead) => new WeakMap<Db, RowOf>());

/** What a plan asks of several documents. */
const manyOf = oncePer(({ semiJoins, stages }: CompiledRead): readonly Stage[] | false =>
  semiJoins.length > 0 ? false : (ofMany(stages) ?? false),
);

/**
 * The row of a document, read together with others, where this plan and this request allow it. Null: nobody else wanted one, or they
 * could not be read together.
 */
export async function askTogether(
  store: Store,
  read: CompiledRead,
  documentId: string,
): Promise<readonly Uint8Array[] | null> {
  const stages = manyOf(read);
  // A session is of one request.
  if (!stages || store.session) return null;
  const database = databaseOf(store, read.source.type);
  const gatherers = gatherersOf(read);
  const rowOf = gatherers.get(database) ?? newRows(store, read, stages);
  gatherers.set(database, rowOf);
  const found = await rowOf(documentId);
  return found && (found.value ? [found.value] : []);
}

function newRows(
  { budget, session, ...store }: Store,
  { source }: CompiledRead,
  stages: readonly Stage[],
): RowOf {
  return newGatherer(async (documentIds) => {
    const filled = [...fillSlots(stages, () => documentIds)];
    const rows = await askAtOnce({ store, source, stages: filled }, documentIds.length);
    if (!rows) throw new RangeError('more than fits in one answer');
    return new Map(rows.map((row) => [documentIdOf(row), row]));
  });
}
