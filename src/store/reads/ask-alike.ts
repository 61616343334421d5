/** Reads that differ only in a value that they look for, and begin in one turn: one command for all of them. */
import { LRUCache } from 'lru-cache';
import { BSON, type Db } from 'mongodb';
import { collectionName } from '../../pipeline/collection.js';
import type { Doc, Source, Stage } from '../../pipeline/types.js';
import { asBuffer, eachMember, int32, TYPE } from '../../values/bson-bytes.js';
import { groupBy } from '../../values/group.js';
import { oncePer } from '../../values/once-per.js';
import { isPlainObject } from '../../values/plain-object.js';
import { databaseOf } from '../connection/collections.js';
import { inOneTurn, orAtOnce } from '../connection/gather.js';
import type { Store } from '../connection/store.js';
import { type AskAlone, askAtOnce } from './ask.js';

/** Rows that are found for all of them together; more, and each asks alone. */
const MOST_ROWS = 1000;
/** A longer list of values is not compared with the values of each row. */
const MOST_VALUES = 100;
/** Kinds of reads that found more, and for how many milliseconds they go alone. */
const BROAD = { max: 1000, ttl: 60_000 };

/** A read that finds rows by text at one path, and puts them in order: what several of them find can be told apart. */
interface Alike {
  readonly source: Source;
  readonly path: string;
  readonly values: readonly string[];
  /** What else it asks of a row. */
  readonly match: Doc;
  readonly sort: readonly Stage[];
  readonly limit: number;
  readonly project: Doc;
}

/** A read, its slots filled, as one of its like; null where it is none. */
export function alikeOf(source: Source, stages: readonly Stage[]): Alike | null {
  // What others wrote may compare by other rules.
  if (source.type.storage !== null) return null;
  const sort = stages.slice(1, -2);
  if (sort.length > 1 || sort.some((stage) => !stage['$sort'])) return null;
  const match = stages[0]?.['$match'];
  const limit = stages.at(-2)?.['$limit'];
  const project = stages.at(-1)?.['$project'];
  if (!isPlainObject(match) || !isPlainObject(project) || typeof limit !== 'number') return null;
  const looked = Object.entries(match).findLast(([path, test]) => valuesOf(path, test));
  const values = looked && valuesOf(...looked);
  if (!values) return null;
  const [path] = looked;
  const { [path]: _, ...rest } = match;
  return (project[path] ?? 1) === 1 ? { source, path, values, match: rest, sort, limit, project } : null;
}

function valuesOf(path: string, test: unknown): readonly string[] | null {
  if (!/^[^$.]+$/.test(path) || !isPlainObject(test) || Object.keys(test).length !== 1) return null;
  const values = '$eq' in test ? [test['$eq']] : test['$in'];
  if (!Array.isArray(values) || values.length > MOST_VALUES) return null;
  return values.every((value) => typeof value === 'string') ? values : null;
}

interface Wanted {
  readonly store: Store;
  readonly alike: Alike;
}

type Rows = readonly Uint8Array[];
/** Null: nobody else looks for something of this kind. */
type Sent = { readonly rows: Promise<Rows | null> } | null;

const gathererOf = oncePer((_: Db) => {
  const broad = new LRUCache<string, true>(BROAD);
  const gathered = inOneTurn(async (all: readonly Wanted[]): Promise<readonly Sent[]> => {
    const sent = new Map<Wanted, Sent>();
    for (const [kind, some] of groupBy(all, kindOf)) {
      if (some.length === 1 || broad.has(kind)) continue;
      const found = findTogether(some).catch((error: unknown) => {
        if (error instanceof TooBroad) broad.set(kind, true);
        return null;
      });
      for (const [at, wanted] of some.entries())
        sent.set(wanted, { rows: found.then((rows) => rows?.[at] ?? null) });
    }
    return all.map((wanted) => sent.get(wanted) ?? null);
  });
  return orAtOnce(async (wanted: Wanted): Promise<Rows | null> => {
    const sent = await gathered(wanted);
    return (await sent?.rows) ?? null;
  });
});

/**
 * All rows that the read finds, those beyond its limit too, asked for together with others; or what it finds alone, where nobody else
 * looks for something of this kind, or it cannot be had together.
 */
export function askAlike(
  { store: given, alike }: Wanted,
  alone: AskAlone = () => Promise.resolve(null),
): ReturnType<AskAlone> {
  // A session is of one request.
  const { budget, session, ...store } = given;
  if (session) return alone();
  return gathererOf(databaseOf(store, alike.source.type))({ store, alike }, alone);
}

/** What tells reads that differ in more than their values. */
function kindOf({ store, alike: { source, values, ...rest } }: Wanted): string {
  const kind = { ...rest, from: collectionName(source.type, source.status), maxTimeMS: store.maxTimeMS };
  return Buffer.from(BSON.serialize(kind, { ignoreUndefined: true })).toString('latin1');
}

/** They found more rows than are told apart. */
class TooBroad extends Error {}

async function findTogether(all: readonly Wanted[]): Promise<readonly Rows[]> {
  const [first] = all;
  if (!first) return [];
  const { store, alike } = first;
  const { source, path, match, sort, project } = alike;
  const values = [...new Set(all.flatMap((wanted) => wanted.alike.values))];
  const most = Math.min(
    MOST_ROWS,
    all.reduce((sum, wanted) => sum + wanted.alike.limit, 0),
  );
  const stages = [
    { $match: { ...match, [path]: { $in: values } } },
    ...sort,
    { $limit: most + 1 },
    { $project: { ...project, [path]: 1 } },
  ];
  const rows = await askAtOnce({ store, source, stages }, most + 1);
  if (!rows || rows.length > most) throw new TooBroad();
  const texts = rows.map((row) => textsAt(asBuffer(row), path));
  return all.map((wanted) => {
    const looked = new Set(wanted.alike.values.map((value) => Buffer.from(value).toString('latin1')));
    return rows.filter((_, at) => texts[at]?.some((text) => looked.has(text)));
  });
}

/** The texts that a row has at a path, as their bytes. Throws where something else is there, which might compare in other ways. */
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
