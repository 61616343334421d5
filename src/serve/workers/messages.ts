import type { RunOptions } from '../run.js';

/** What a worker is told when it is started, as JSON in its environment. */
export interface WorkerOrder extends Pick<RunOptions, 'root' | 'agreed' | 'ignoreCode' | 'seed'> {
  /** Its place, from 1: whoever takes the place of a worker has its number. */
  readonly number: number;
  /** The first worker of all seeds an empty database and greets. */
  readonly greets: boolean;
}

export const ORDER = 'MANGROVE_WORKER';

/** What the primary process tells a worker that serves. */
export type ToWorker =
  | { readonly do: 'stop' }
  /** The worker's own metrics are wanted. */
  | { readonly do: 'tell-metrics'; readonly id: number }
  /** The answer to its question. */
  | { readonly do: 'take-metrics'; readonly id: number; readonly text: string };

/** What a worker tells the primary process. */
export type FromWorker =
  | { readonly is: 'metrics-wanted'; readonly id: number }
  | { readonly is: 'metrics'; readonly id: number; readonly text: string };
