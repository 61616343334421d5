import { setTimeout as sleep } from 'node:timers/promises';
import type { Gate } from '../limits/gate.js';
import type { LiveAnswer } from './answer.js';

/** Milliseconds for which changes are collected before a read. */
const COLLECT = 25;
/** So many times as long as a read took passes until the next, if changes come meanwhile. */
const REST = 6;
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

export function watchRead({ read, gate, found, failed }: WatchedReadOptions): WatchedRead {
  /** The last read, whatever comes of it. */
  let running: Promise<unknown> = Promise.resolve();
  /** The one that has not begun yet. */
  let next: Promise<LiveAnswer> | null = null;
  let changedAt: Date | null = null;
  let isCollecting = false;
  let restsUntil = 0;

  const begin = async (): Promise<LiveAnswer> => {
    const leave = await gate.enter();
    const since = changedAt;
    next = null;
    changedAt = null;
    const began = performance.now();
    try {
      const answer = await read();
      found(answer, since);
      return answer;
    } catch (error) {
      if (since && failed(error)) setTimeout(() => changed(since), AGAIN).unref();
      throw error;
    } finally {
      const now = performance.now();
      restsUntil = now + REST * (now - began);
      leave();
    }
  };
  const current = (): Promise<LiveAnswer> => {
    next ??= running.then(begin);
    running = next.catch(() => undefined);
    return next;
  };
  const collect = async (): Promise<void> => {
    await running;
    await sleep(Math.max(COLLECT, restsUntil - performance.now()));
    isCollecting = false;
    if (changedAt) await current();
  };
  const changed = (at: Date): void => {
    changedAt ??= at;
    if (isCollecting) return;
    isCollecting = true;
    collect().catch(() => undefined);
  };
  return { current, changed };
}
