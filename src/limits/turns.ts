/** Lets long computations yield to the event loop, so that other requests are served meanwhile. */

/**
 * Milliseconds of work between yields. Node accepts one new connection per turn of the loop, so this is
 * short.
 */
const SLICE = 2;

/**
 * Returns a function that resolves after the events that have arrived meanwhile. Of those that wait for it,
 * one continues per turn of the loop.
 */
export function newTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const giveTurn = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(giveTurn);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(giveTurn);
    });
}

/** The turns of long computations. */
export const nextTurn: () => Promise<void> = newTurns();

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
