/** Reads by one plan that begin in one turn: one command for all of them. */
import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
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
import { type AskAlone, askAtOnce } from './ask.js';

type RowsOf = (wanted: string, alone: AskAlone) => ReturnType<AskAlone>;

/** Plans with the same grants, locale and filters are one plan, so that nobody gets a row that a command of its own would not find. */
const gatherersOf = oncePer((_: CompiledRead) => new WeakMap<Db, LRUCache<string, RowsOf>>());
/** Pages of one plan, which differ in its value. */
const MAX_PAGES = 1000;

/** What a plan asks of several documents. */
const manyOf = oncePer(({ semiJoins, stages }: CompiledRead): readonly Stage[] | false =>
  semiJoins.length > 0 ? false : (ofMany(stages) ?? false),
);

/** A page that leaves nothing to fill in: the same for everybody. */
const PAGE = '';

interface Wanted {
  readonly store: Store;
  readonly read: CompiledRead;
  /** Null: the page, by a value where there is one. */
  readonly documentId: string | null;
  readonly value: string | null;
  readonly limit: number;
}

/**
 * The rows of a document, or of the page, asked for together with others, where this plan and this request allow it. Asked for alone
 * where nobody else wants them, and where they cannot be had together.
 */
export function askTogether(wanted: Wanted, alone: AskAlone): ReturnType<AskAlone> {
  const { store, read, documentId, value } = wanted;
  // A session is of one request.
  if (store.session) return alone();
  const pages = pagesOf(read, databaseOf(store, read.source.type));
  const rowsOf = pages.get(value ?? PAGE) ?? newRowsOf(wanted);
  pages.set(value ?? PAGE, rowsOf);
  return rowsOf(documentId ?? PAGE, alone);
}

function pagesOf(read: CompiledRead, database: Db): LRUCache<string, RowsOf> {
  const gatherers = gatherersOf(read);
  const pages = gatherers.get(database) ?? new LRUCache<string, RowsOf>({ max: MAX_PAGES });
  gatherers.set(database, pages);
  return pages;
}

function newRowsOf({ store, read, documentId, value, limit }: Wanted): RowsOf {
  const makeRows = documentId === null ? rowsOfPage(read, value, limit) : rowsOfDocuments(read);
  if (!makeRows) return (_, alone) => alone();
  const { budget, session, ...anybody } = store;
  const find = newGatherer((ids) => makeRows(anybody, ids));
  return orAtOnce(async (id) => {
    const found = await find(id);
    if (found === null) return null;
    // What is not found among adopted documents may still be one, as an ObjectId in capitals is.
    return found.value ?? (read.source.type.storage && documentId !== null ? null : []);
  });
}

type MakeRows = (store: Store, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Uint8Array[]>>;

function rowsOfDocuments(read: CompiledRead): MakeRows | null {
  const stages = manyOf(read);
  if (!stages) return null;
  const { storage } = read.source.type;
  return async (store, documentIds) => {
    const keys = storage ? documentIds.flatMap((id) => keyForms(storage.id, id)) : documentIds;
    const filled = [...fillSlots(stages, () => keys)];
    const rows = await allAtOnce({ store, read, stages: filled }, keys.length);
    return new Map(rows.map((row) => [storage ? keyText(idOf(row)) : documentIdOf(row), [row]]));
  };
}

function rowsOfPage(read: CompiledRead, value: string | null, limit: number): MakeRows | null {
  if (read.semiJoins.length > 0 || read.ordering) return null;
  const stages = fillSlots(read.stages, () => value);
  return async (store) => new Map([[PAGE, await allAtOnce({ store, read, stages }, limit)]]);
}

async function allAtOnce(
  {
    store,
    read,
    stages,
  }: { readonly store: Store; readonly read: CompiledRead; readonly stages: readonly Stage[] },
  limit: number,
): Promise<readonly Uint8Array[]> {
  const rows = await askAtOnce({ store, source: read.source, stages: [...stages] }, limit);
  if (!rows) throw new RangeError('more than fits in one answer');
  return rows;
}
