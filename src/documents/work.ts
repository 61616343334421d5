/** Work whose writes belong together, though each is committed by itself. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { WriteStep } from '../store/entries/changes.js';

interface Work {
  readonly wrote: (steps: readonly WriteStep[]) => void;
  readonly whenKept: (() => unknown)[];
  isOver: boolean;
}

const current = new AsyncLocalStorage<Work>();

/** Null also for what nobody has waited for, and that has outlived its work. */
const underWay = (): Work | null => {
  const work = current.getStore();
  return work && !work.isOver ? work : null;
};

export const isInWork = (): boolean => underWay() !== null;

/** Tells the work that is under way what was committed. */
export const noteWritten = (steps: readonly WriteStep[]): void => underWay()?.wrote(steps);

/** Calls `run` when what is written now will stay: at once, unless it belongs to work, which may still fail. */
export function whenKept(run: () => unknown): unknown {
  const work = underWay();
  return work ? work.whenKept.push(run) : run();
}

/** Runs what the work under way does not include, though it waits for it. */
export const apart = <T>(run: () => Promise<T>): Promise<T> => current.exit(run);

/** @param failed called before the error of `run` is thrown */
export async function runWork<T>(
  run: () => Promise<T>,
  { wrote, failed }: Pick<Work, 'wrote'> & { readonly failed: () => Promise<unknown> },
): Promise<T> {
  const work: Work = { wrote, whenKept: [], isOver: false };
  let result: T;
  try {
    result = await current.run(work, run);
  } catch (error) {
    work.isOver = true;
    await failed();
    throw error;
  }
  work.isOver = true;
  for (const kept of work.whenKept) await kept();
  return result;
}
