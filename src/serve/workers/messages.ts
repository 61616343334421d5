import type { MetricValues } from '../../events/metrics.js';
import type { RunOptions } from '../run-options.js';

/** What a worker needs to know at its start, as JSON in its environment. */
export interface WorkerOrder extends Pick<RunOptions, 'root' | 'agreed' | 'ignoreCode' | 'seed'> {
  /** The worker's number, from 1; a replacement has the same number. */
  readonly number: number;
  /** Whether this is the first worker, which seeds an empty database and prints the greeting. */
  readonly greets: boolean;
  /** Whether this is the first worker of a start or restart, for which the code may have changed. */
  readonly isFirstOfStart: boolean;
}

export const ORDER = 'MANGROVE_WORKER';

/** Messages from the primary process to a worker. */
export type ToWorker =
  | { readonly do: 'stop' }
  /** Requests the worker's own metrics. */
  | { readonly do: 'send-metrics'; readonly id: number }
  /** The answer to the worker's request for all metrics. */
  | { readonly do: 'receive-all-metrics'; readonly id: number; readonly text: string };

/** Messages from a worker to the primary process. */
export type FromWorker =
  | { readonly is: 'all-metrics-requested'; readonly id: number }
  | { readonly is: 'metrics'; readonly id: number; readonly values: MetricValues };
