/**
 * Combines reads that are requested in the same turn of the event loop and differ only in the values that
 * they search for into one command.
 */
import { LRUCache } from 'lru-cache';
import { BSON, type Db } from 'mongodb';
import { isOn } from '../../limits/mechanisms.js';
import type { Doc, Source, Stage } from '../../pipeline/types.js';
import { asBuffer, eachMember, int32, TYPE } from '../../values/bson-bytes.js';
import { groupBy } from '../../values/group.js';
import { oncePer } from '../../values/once-per.js';
import { isPlainObject } from '../../values/plain-object.js';
import { batchPerTick, batchUnderLoad } from '../connection/batch-per-tick.js';
import { databaseOf } from '../connection/collections.js';
import type { Store } from '../connection/store.js';
import { type Fetch, fetchBatch } from './fetch-rows.js';
import type { ReadScope } from './read-scope.js';

/** Limit of the rows of a combined read; beyond it, each read is sent individually. */
const MOST_ROWS = 1000;
/** Reads with more values than this are not combined. */
const MOST_VALUES = 100;
/**
 * Remembers the kinds of reads that exceeded the limit, which are sent individually for `ttl` milliseconds.
 */
const BROAD = { max: 1000, ttl: 60_000 };

/**
 * A read that searches for strings at one path and sorts the rows, so that the rows of a combined read can be
 * distributed.
 */
interface SimilarRead {
  readonly source: Source;
  readonly path: string;
  readonly values: readonly string[];
  /** The other conditions on a row. */
  readonly match: Doc;
  readonly sort: readonly Stage[];
  readonly limit: number;
  readonly project: Doc;
}

/** A read with filled slots in this form; null if it does not have it. */
export function similarRead(source: Source, stages: readonly Stage[]): SimilarRead | null {
  // Values stored by other programs may compare by other rules.
  if (source.type.storage !== null) return null;
  const sort = stages.slice(1, -2);
  if (sort.length > 1 || sort.some((stage) => !stage['$sort'])) return null;
  const match = stages[0]?.['$match'];
  const limit = stages.at(-2)?.['$limit'];
  const project = stages.at(-1)?.['$project'];
  if (!isPlainObject(match) || !isPlainObject(project) || typeof limit !== 'number') return null;
  const searched = Object.entries(match).findLast(([path, test]) => valuesOf(path, test));
  const values = searched && valuesOf(...searched);
  if (!values) return null;
  const [path] = searched;
  const { [path]: _, ...rest } = match;
  return (project[path] ?? 1) === 1 ? { source, path, values, match: rest, sort, limit, project } : null;
}

function valuesOf(path: string, test: unknown): readonly string[] | null {
  if (!/^[^$.]+$/.test(path) || !isPlainObject(test) || Object.keys(test).length !== 1) return null;
  const values = '$eq' in test ? [test['$eq']] : test['$in'];
  if (!Array.isArray(values) || values.length > MOST_VALUES) return null;
  return values.every((value) => typeof value === 'string') ? values : null;
}

interface SimilarFetch {
  readonly store: Store;
  readonly similar: SimilarRead;
}

type Rows = readonly Uint8Array[];
/** Null: no other request has a read of this kind. */
type Sent = { readonly rows: Promise<Rows | null> } | null;

const gathererOf = oncePer((_: Db) => {
  const broad = new LRUCache<string, true>(BROAD);
  const gathered = batchPerTick(async (all: readonly SimilarFetch[]): Promise<readonly Sent[]> => {
    const sent = new Map<SimilarFetch, Sent>();
    for (const [kind, some] of groupBy(all, kindOf)) {
      if (some.length === 1 || broad.has(kind)) continue;
      const found = findTogether(some).catch((error: unknown) => {
        if (error instanceof TooBroad) broad.set(kind, true);
        return null;
      });
      for (const [at, request] of some.entries())
        sent.set(request, { rows: found.then((rows) => rows?.[at] ?? null) });
    }
    return all.map((request) => sent.get(request) ?? null);
  });
  return batchUnderLoad(async (request: SimilarFetch): Promise<Rows | null> => {
    const sent = await gathered(request);
    return (await sent?.rows) ?? null;
  });
});

/**
 * All rows that match the read, even beyond its limit, from a combined command. If there is nothing to
 * combine, or the combined read fails, the result of `single`.
 */
export function fetchSimilar(
  { scope, similar }: { readonly scope: ReadScope; readonly similar: SimilarRead },
  single: Fetch = () => Promise.resolve(null),
): ReturnType<Fetch> {
  // Sessions cannot be shared by requests.
  const { store, session } = scope;
  if (session || !isOn('similar reads')) return single();
  return gathererOf(databaseOf(store, similar.source.type))({ store, similar }, single);
}

/** The key of all reads that differ only in their values. */
function kindOf({ store, similar: { source, values, ...rest } }: SimilarFetch): string {
  const kind = { ...rest, from: source.collection, maxTimeMS: store.maxTimeMS };
  return Buffer.from(BSON.serialize(kind, { ignoreUndefined: true })).toString('latin1');
}

/** The combined read exceeded the limit of rows. */
class TooBroad extends Error {}

async function findTogether(all: readonly SimilarFetch[]): Promise<readonly Rows[]> {
  const [first] = all;
  if (!first) return [];
  const { store, similar } = first;
  const { source, path, match, sort, project } = similar;
  const values = [...new Set(all.flatMap((request) => request.similar.values))];
  const most = Math.min(
    MOST_ROWS,
    all.reduce((sum, request) => sum + request.similar.limit, 0),
  );
  const stages = [
    { $match: { ...match, [path]: { $in: values } } },
    ...sort,
    { $limit: most + 1 },
    { $project: { ...project, [path]: 1 } },
  ];
  const rows = await fetchBatch({ scope: { store }, source, stages }, most + 1);
  if (!rows || rows.length > most) throw new TooBroad();
  const texts = rows.map((row) => textsAt(asBuffer(row), path));
  return all.map((request) => {
    const searched = new Set(request.similar.values.map((value) => Buffer.from(value).toString('latin1')));
    return rows.filter((_, at) => texts[at]?.some((text) => searched.has(text)));
  });
}

/** The strings at a path of a row, as bytes. Throws for other values, which might compare differently. */
function textsAt(row: Buffer, path: string): readonly string[] {
  const texts: string[] = [];
  const add = (type: number, at: number): void => {
    if (type !== TYPE.string) throw new RangeError('not a text');
    texts.push(row.toString('latin1', at + 4, at + 3 + int32(row, at)));
  };
  eachMember(row, 0, (type, at, name) => {
    if (row.toString('utf8', name, at - 1) !== path) return;
    if (type === TYPE.array) eachMember(row, at, add);
    else add(type, at);
  });
  return texts;
}
