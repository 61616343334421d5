/** The process has one thread for all its callers: long work gives it back now and then. */

/** Milliseconds of work after which others get their turn: new connections come in one in a turn, so it is short. */
const SLICE = 2;

const waiting: (() => void)[] = [];

function giveTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(giveTurn);
}

/** Resolves when what has arrived in the meantime is served; of those who wait, one goes at a time. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(giveTurn);
  });
}

/** `Array.map` for many or large items. */
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
