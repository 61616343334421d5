import { setTimeout as sleep } from 'node:timers/promises';
import type { Gate } from '../limits/gate.js';
import type { LiveAnswer } from './answer.js';

/** Milliseconds for which changes are collected before a read, at least; as long as the last read took, if that is more. */
const COLLECT = 10;
/** Milliseconds until a read is tried again that has failed. */
const AGAIN = 1000;

interface WatchedReadOptions {
  readonly read: () => Promise<LiveAnswer>;
  /** Limits how many reads run at once. */
  readonly gate: Gate;
  /** Called with each answer, and when the first change was made that led to it; null: it was asked for. */
  readonly found: (answer: LiveAnswer, changedAt: Date | null) => void;
  /** Whether a read that has failed is tried again. */
  readonly failed: (error: unknown) => boolean;
}

/** A read that is repeated when something may have changed, once for all changes meanwhile. */
export interface WatchedRead {
  /** An answer of a read that begins from now on. */
  current(): Promise<LiveAnswer>;
  /** Something may have changed. @param at when it did */
  changed(at: Date): void;
}

interface Waiting {
  readonly resolve: (answer: LiveAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export function watchRead({ read, gate, found, failed }: WatchedReadOptions): WatchedRead {
  let waiting: Waiting[] = [];
  let changedAt: Date | null = null;
  let isRunning = false;
  let took = 0;

  const once = async (): Promise<void> => {
    const [asked, since] = [waiting, changedAt];
    waiting = [];
    changedAt = null;
    const began = performance.now();
    try {
      const answer = await read();
      found(answer, since);
      for (const { resolve } of asked) resolve(answer);
    } catch (error) {
      for (const { reject } of asked) reject(error);
      if (since && failed(error)) setTimeout(() => changed(since), AGAIN).unref();
    }
    took = performance.now() - began;
  };
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (waiting.length > 0 || changedAt) {
      if (waiting.length === 0) await sleep(Math.max(COLLECT, took));
      const leave = await gate.enter();
      await once();
      leave();
    }
    isRunning = false;
  };
  const changed = (at: Date): void => {
    changedAt ??= at;
    void run();
  };
  return {
    current: () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        void run();
      }),
    changed,
  };
}
