import { isHeapCrowded } from './heap.js';
import { isTurnOver, tick, type Work, within } from './work.js';

/**
 * Marks a pause between two results of a stream: the operation has used the engine's only thread for a while, and the consumer of
 * the stream lets other connections go first.
 */
export const PAUSE: unique symbol = Symbol('pause');
export type Pause = typeof PAUSE;

/** A stream of results with pauses between them. */
export type Flow<T> = Iterable<T | Pause>;

/** Work that pauses on its way to a result. */
export type Paced<T> = Generator<Pause, T>;

/** The number of items that are sorted without a pause. */
const RUN = 1024;

const waiting: (() => void)[] = [];

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** Resolves when what has arrived meanwhile is served; waiting operations continue one at a time. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

/** The number of turns after which an operation counts as long. */
const LONG = 12;

/** Long reads, in the order in which they became long. */
const longReads = new Set<Work>();

/** When memory is short, only the first of the long reads continues: otherwise all of them would grow until none can finish. */
const isHeld = (by: Work): boolean =>
  longReads.size > 1 && longReads.has(by) && longReads.values().next().value !== by && isHeapCrowded();

async function driveOn<T>(by: Work, work: Paced<T>): Promise<T> {
  try {
    for (let turns = 0; ; turns++) {
      await nextTurn();
      if (turns === LONG && by.onlyReads) longReads.add(by);
      const next = within(by, () => {
        try {
          by.check(performance.now());
        } catch (error) {
          return work.throw(error);
        }
        return isHeld(by) ? null : work.next();
      });
      if (next?.done) return next.value;
    }
  } finally {
    longReads.delete(by);
  }
}

/** Runs paced work, without a pause if it is short. */
export function drive<T>(by: Work, work: Paced<T>): T | Promise<T> {
  const first = within(by, () => work.next());
  return first.done ? first.value : driveOn(by, work);
}

/** All results of a stream. */
export function* gather<T>(flow: Flow<T>): Paced<T[]> {
  const out: T[] = [];
  for (const item of flow) {
    if (item === PAUSE) yield PAUSE;
    else out.push(item);
  }
  return out;
}

/** Maps each result of a stream. */
export function* mapFlow<T, U>(flow: Flow<T>, make: (item: T) => U): Generator<U | Pause> {
  for (const item of flow) yield item === PAUSE ? PAUSE : make(item);
}

/** The results of a stream without pauses, for work that holds a lock. */
export function* unpaced<T>(flow: Flow<T>): Generator<T> {
  for (const item of flow) if (item !== PAUSE) yield item;
}

/** The result of paced work, run without a pause. */
export function atOnce<T>(work: Paced<T>): T {
  let next = work.next();
  while (!next.done) next = work.next();
  return next.value;
}

/** The items in sorted order (stable): each run is sorted at once, and the runs are merged with pauses. */
export function* sortPaced<T>(items: readonly T[], order: (a: T, b: T) => number): Paced<T[]> {
  const compare = (a: T, b: T): number => {
    tick();
    return order(a, b);
  };
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += RUN) {
    runs.push(items.slice(from, from + RUN).sort(compare));
    if (isTurnOver()) yield PAUSE;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const left = runs[i] as T[];
      const right = runs[i + 1];
      merged.push(right === undefined ? left : yield* merge(left, right, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Paced<T[]> {
  const out: T[] = [];
  let a = 0;
  let b = 0;
  while (a < left.length && b < right.length) {
    if (isTurnOver()) yield PAUSE;
    const takesLeft = compare(left[a] as T, right[b] as T) <= 0;
    out.push((takesLeft ? left[a++] : right[b++]) as T);
  }
  while (a < left.length) out.push(left[a++] as T);
  while (b < right.length) out.push(right[b++] as T);
  return out;
}

/** Passes on each result of a stream. */
export function* forEach<T>(flow: Flow<T>, take: (item: T) => void): Paced<void> {
  for (const item of flow) {
    if (item === PAUSE) yield PAUSE;
    else {
      take(item);
      tick();
      if (isTurnOver()) yield PAUSE;
    }
  }
}

/** A list as a stream, with pauses. */
export function* flowOf<T>(items: Iterable<T>): Generator<T | Pause> {
  for (const item of items) {
    yield item;
    tick();
    if (isTurnOver()) yield PAUSE;
  }
}
