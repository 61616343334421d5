import { ApiError } from '../errors.js';
import type { RecordEvent } from '../events/events.js';
import type { CodeContext } from './types.js';
import { type Running, running, type Unsupported } from './unsupported.js';

/** Runs a part of the project's code; as long as it runs, its request knows its name. */
export async function during<T>(name: string, run: () => T): Promise<Awaited<T>> {
  const parts = running.getStore()?.underWay;
  const part = { name };
  parts?.add(part);
  try {
    return await run();
  } finally {
    parts?.delete(part);
  }
}

/**
 * Runs the code of a request. If its time ends meanwhile, the part that began last of those that run is recorded.
 * @returns what it asked for in vain
 */
export async function forRequest(
  ctx: CodeContext,
  record: RecordEvent,
  run: (request: Running) => Promise<void>,
): Promise<Unsupported | null> {
  const outer = running.getStore();
  const request: Running = { ctx, unsupported: null, underWay: outer?.underWay ?? new Set() };
  const signal = outer ? undefined : ctx.exchange?.budget.signal;
  const tell = (): void => {
    const part = [...request.underWay].at(-1)?.name;
    const isLate = signal?.reason instanceof ApiError && signal.reason.code === 'request-timed-out';
    if (isLate && part !== undefined)
      record({ name: 'code-timed-out', route: `${ctx.method} ${ctx.path}`, part });
  };
  signal?.addEventListener('abort', tell, { once: true });
  try {
    await running.run(request, () => run(request));
  } finally {
    signal?.removeEventListener('abort', tell);
  }
  return request.unsupported;
}
