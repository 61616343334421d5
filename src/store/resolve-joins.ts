import type { Document } from 'mongodb';
import { fillSlots } from '../pipeline/slots.js';
import type { CompiledRead, SemiJoin, Slot } from '../pipeline/types.js';
import type { Store } from './client.js';
import { collectionOf } from './collections.js';
import { readOptions } from './read-options.js';

/** What the slots of a compiled read stand for in one run. */
export type SlotValues = (of: Slot['of']) => unknown;

/** A semi-join has more values than a list may hold. */
export class TooManyValues extends Error {
  readonly numbers: readonly number[];
  constructor(numbers: readonly number[]) {
    super(`semi-joins ${numbers.join(', ')} have too many values`);
    this.numbers = numbers;
  }
}

/**
 * Runs the queries that resolve a read's filters through relations, those that do not need each other at once. Throws
 * `TooManyValues` where one finds more than `cap` rows.
 */
export async function resolveJoins(
  store: Store,
  { semiJoins }: CompiledRead,
  documentId: string | null,
  cap: number,
): Promise<SlotValues> {
  const running = new Map<number, Promise<readonly unknown[]>>();
  const values = new Map<number, readonly unknown[]>();
  const valueFor: SlotValues = (of) => (of === 'documentId' ? documentId : (values.get(of) ?? []));
  const resolve = async (join: SemiJoin): Promise<readonly unknown[]> => {
    await Promise.all(join.needs.map((number) => running.get(number)));
    const rows = await collectionOf(store, join.source)
      .aggregate(
        [...fillSlots(join.stages, valueFor), { $limit: cap + 1 }, projection(join.field)],
        readOptions(store),
      )
      .toArray();
    if (rows.length > cap) throw new TooManyValues([join.number]);
    const list = distinct(rows, join.field);
    values.set(join.number, list);
    return list;
  };
  // A semi-join stands behind those that it needs.
  for (const join of semiJoins) running.set(join.number, resolve(join));
  const results = await Promise.allSettled(running.values());
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const tooMany = failures.filter((reason) => reason instanceof TooManyValues);
  const other = failures.find((reason) => !(reason instanceof TooManyValues));
  if (other !== undefined) throw other;
  if (tooMany.length > 0) throw new TooManyValues([...new Set(tooMany.flatMap(({ numbers }) => numbers))]);
  return valueFor;
}

const projection = (field: string): Document => ({ $project: { _id: 0, [field]: 1 } });

function distinct(rows: readonly Document[], field: string): readonly unknown[] {
  const found = new Set<unknown>();
  for (const row of rows) {
    const value: unknown = row[field];
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== null && item !== undefined) found.add(item);
  }
  return [...found];
}
