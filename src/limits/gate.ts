import { errors } from '../errors.js';

/** Lets a bounded number of jobs run at the same time; others wait their turn. */
export interface Gate {
  /** Resolves when it is one's turn, with what ends it. Throws 429 where too many wait, the signal's reason when it is aborted. */
  enter(signal?: AbortSignal): Promise<() => void>;
}

export interface GateOptions {
  readonly atOnce: number;
  /** More are refused at once. */
  readonly maxWaiting: number;
}

export function createGate({ atOnce, maxWaiting }: GateOptions): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];

  const leave = (): void => {
    running -= 1;
    waiting.shift()?.();
  };
  const start = (): (() => void) => {
    running += 1;
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };

  return {
    async enter(signal) {
      signal?.throwIfAborted();
      if (running < atOnce) return start();
      if (waiting.length >= maxWaiting) throw errors.rateLimited();
      return new Promise((resolve, reject) => {
        const begin = (): void => {
          signal?.removeEventListener('abort', giveUp);
          resolve(start());
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(begin), 1);
          reject(signal?.reason);
        };
        waiting.push(begin);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}

/** Runs a job inside a gate. */
export async function within<T>(gate: Gate, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const leave = await gate.enter(signal);
  try {
    return await work();
  } finally {
    leave();
  }
}
