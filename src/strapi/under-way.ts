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
 * Runs code of a request that has a time limit, which those that run before it is set do not have yet. If the time ends
 * meanwhile, the part that began last of those that run is recorded.
 */
export async function timed(
  ctx: CodeContext,
  record: RecordEvent,
  request: Running,
  run: () => Promise<void>,
): Promise<void> {
  const signal = ctx.exchange?.budget?.signal;
  if (!signal || request.isTimed) return run();
  const tell = (): void => {
    const part = [...request.underWay].at(-1)?.name;
    const isLate = signal.reason instanceof ApiError && signal.reason.code === 'request-timed-out';
    if (isLate && part !== undefined)
      record({ name: 'code-timed-out', route: `${ctx.method} ${ctx.path}`, part });
  };
  request.isTimed = true;
  signal.addEventListener('abort', tell, { once: true });
  try {
    await run();
  } finally {
    request.isTimed = false;
    signal.removeEventListener('abort', tell);
  }
}

/** Runs the code of a request. @returns what it asked for in vain */
export async function forRequest(
  ctx: CodeContext,
  record: RecordEvent,
  run: (request: Running) => Promise<void>,
): Promise<Unsupported | null> {
  const outer = running.getStore() ?? { underWay: new Set(), isTimed: false };
  const request: Running = { ...outer, ctx, unsupported: null };
  await running.run(request, () => timed(ctx, record, request, () => run(request)));
  return request.unsupported;
}
