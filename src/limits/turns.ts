/** Lets long computations yield to the event loop, so that other requests are served meanwhile. */

/**
 * Milliseconds of work between yields. Node accepts one new connection per turn of the loop, so this is
 * short.
 */
const SLICE = 2;

const waiting: (() => void)[] = [];

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}

/**
 * Resolves after the events that have arrived meanwhile; one waiting computation continues per turn of the
 * loop.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

/** `Array.map` for many or large items, yielding between slices of work. */
export async function mapInTurns<T, U>(items: readonly T[], map: (item: T) => U): Promise<U[]> {
  const mapped: U[] = [];
  await nextTurn();
  let began = performance.now();
  for (const item of items) {
    mapped.push(map(item));
    if (performance.now() - began < SLICE) continue;
    await nextTurn();
    began = performance.now();
  }
  return mapped;
}
