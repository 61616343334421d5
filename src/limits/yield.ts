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
export function createYield(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const resumeNext = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(resumeNext);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(resumeNext);
    });
}

/** Resolves after other requests had a chance to run; long computations await it between slices. */
export const yieldToEventLoop: () => Promise<void> = createYield();

/** `Array.map` for many or large items, yielding between slices of work. */
export async function mapInSlices<T, U>(items: readonly T[], map: (item: T) => U): Promise<U[]> {
  const mapped: U[] = [];
  await yieldToEventLoop();
  let began = performance.now();
  for (const item of items) {
    mapped.push(map(item));
    if (performance.now() - began < SLICE) continue;
    await yieldToEventLoop();
    began = performance.now();
  }
  return mapped;
}
