import type { Document } from 'mongodb';
import { type ApiError, errors } from '../../errors.js';
import { byteCounter } from '../../limits/budget.js';
import { createGate, runThrough } from '../../limits/gate.js';
import { projectionOf } from '../../pipeline/relations/semi-join.js';
import { fillSlots } from '../../pipeline/slots.js';
import type { Check, CompiledRead, SemiJoin, SlotName } from '../../pipeline/types.js';
import { allForms, keyForms } from '../../schema/stored/key-forms.js';
import { presentIn } from '../../values/absent.js';
import { isBson } from '../../values/bson.js';
import { valueAlong, valueAt } from '../../values/path.js';
import { collectionOf } from '../connection/collections.js';
import { fetchBatch, toObject } from './fetch-rows.js';
import { fetchSimilar, similarRead } from './fetch-similar.js';
import { readOptions } from './read-options.js';
import type { ReadScope } from './read-scope.js';
import { withReadSlot } from './read-slot.js';

/** The values of the slots of a compiled read in one run. */
export type SlotValues = (of: SlotName) => unknown;

/** The parameters of one run of a plan. */
export interface RunParams {
  /** The requested document, if the plan reads one. */
  readonly documentId?: string | null;
}

/** A semi-join has more values than a list may contain. */
export class TooManyValues extends Error {
  readonly numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    super(`semi-joins ${numbers.join(', ')} have too many values`);
    this.numbers = numbers;
  }
}

/** Maximum number of concurrent queries of one read. */
const AT_ONCE = 2;

/**
 * Runs the queries that resolve a read's filters through relations, each after those that it depends on.
 * Throws `TooManyValues` if one returns more rows than the store's `maxIds`, and a 400 if together they
 * exceed the bytes that the request may read.
 */
export async function resolveJoins(
  scope: ReadScope,
  { semiJoins, source }: CompiledRead,
  { documentId = null }: RunParams,
): Promise<SlotValues> {
  const running = new Map<number, Promise<void>>();
  const values = new Map<number, readonly unknown[]>();
  const valueFor: SlotValues = (of) => {
    if (typeof of === 'number') return values.get(of) ?? [];
    if (of === 'documentId') return documentId;
    return of === 'keys' ? keyForms(source.type.storage?.id ?? 'any', documentId ?? '') : [];
  };
  if (semiJoins.length === 0) return valueFor;
  const gate = createGate({ atOnce: AT_ONCE, maxWaiting: Number.POSITIVE_INFINITY });
  const count = scope.budget ? byteCounter(scope.budget) : () => undefined;
  const find = (join: SemiJoin) => withReadSlot(scope, () => valuesOf({ scope, join, count }, valueFor));
  const resolve = async (join: SemiJoin): Promise<void> => {
    await Promise.all(join.needs.map((number) => running.get(number)));
    values.set(join.number, await runThrough(gate, () => find(join)));
  };
  // Semi-joins come after those that they depend on.
  for (const join of semiJoins) running.set(join.number, resolve(join));
  const results = await Promise.allSettled(running.values());
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const tooMany = failures.filter((reason) => reason instanceof TooManyValues);
  const other = failures.find((reason) => !(reason instanceof TooManyValues));
  if (other !== undefined) throw other;
  if (tooMany.length > 0) throw new TooManyValues([...new Set(tooMany.flatMap(({ numbers }) => numbers))]);
  return valueFor;
}

interface Search {
  readonly scope: ReadScope;
  readonly join: SemiJoin;
  /** Called with the number of bytes found. */
  count(bytes: number): void;
}

/** The rows of a query; in a single response if their number is limited. */
async function* rowsOf({ scope, join }: Search, valueFor: SlotValues): AsyncGenerator<Document> {
  const { source, check } = join;
  const most = scope.store.maxIds + 1;
  const limit = check ? [] : [{ $limit: most }];
  const stages = [...fillSlots(join.stages, valueFor), ...limit, projectionOf(join)];
  const similar = check ? null : similarRead(source, stages);
  const together = similar && (await fetchSimilar({ scope, similar }));
  const rows = check ? null : (together ?? (await fetchBatch({ scope, source, stages }, most)));
  if (rows) yield* rows.map(toObject);
  else {
    const options = { ...readOptions(scope), batchSize: most + 1 };
    yield* collectionOf(scope.store, source).aggregate(stages, options);
  }
}

async function valuesOf(search: Search, valueFor: SlotValues): Promise<readonly unknown[]> {
  const { scope, join, count } = search;
  const { number, field, check, texts } = join;
  const cap = scope.store.maxIds;
  const found = new Set<unknown>();
  const add = (value: unknown): void => {
    if (found.has(value)) return;
    found.add(value);
    count(typeof value === 'string' ? value.length : NUMBER_BYTES);
  };
  let places = 0;
  for await (const row of rowsOf(search, valueFor)) {
    for (const place of check ? passing(row, check) : [row]) {
      if (++places > cap) throw check ? tooWide(cap) : new TooManyValues([number]);
      for (const value of presentIn(valueAt(place, field)).filter(isKey))
        for (const form of texts ? allForms(value) : [value]) add(form);
    }
  }
  return [...found];
}

/** Bytes of a number, date or ObjectId. */
const NUMBER_BYTES = 12;

/** Patterns are not keys: in a list of values they would match strings. */
const isKey = (value: unknown): boolean => !isBson(value, 'BSONRegExp');

const tooWide = (cap: number): ApiError =>
  errors.validation(
    'json-search-too-broad',
    `JSON attributes can only be searched for text that at most ${cap} entries contain`,
  );

function passing(row: Document, { items, path, passes }: Check): readonly unknown[] {
  const places = items.reduce<readonly unknown[]>(
    (found, { stored }) => found.flatMap((place) => presentIn(valueAt(place, stored))),
    [row],
  );
  return places.filter((place) => passes(valueAlong(place, path)));
}
