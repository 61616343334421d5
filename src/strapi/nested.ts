import { AsyncLocalStorage } from 'node:async_hooks';

/** More calls inside one another than any project means to make. */
const MOST = 1000;

const depth = new AsyncLocalStorage<number>();

/**
 * Runs a call of the Document Service with the code around it, which may call it again. An update in `afterUpdate` that
 * causes itself would go on for ever, and take all memory. @throws Error if there are too many inside one another
 */
export async function nested<T>(
  { uid, action }: { readonly uid: string; readonly action: string },
  run: () => Promise<T>,
): Promise<T> {
  const here = (depth.getStore() ?? 0) + 1;
  if (here > MOST)
    throw new Error(
      `${action} of ${uid}: lifecycles or document middlewares have called one another ${MOST} times`,
    );
  return depth.run(here, run);
}
