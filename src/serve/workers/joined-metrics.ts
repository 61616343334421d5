import type { Worker } from 'node:cluster';
import { type MetricValues, metricsOfAll } from '../../events/metrics.js';
import type { FromWorker, ToWorker } from './messages.js';

/** Milliseconds that workers have to send their metrics. */
const TIMEOUT_MS = 1000;

export const send = (worker: Worker, message: ToWorker): void => {
  if (worker.isConnected()) worker.send(message, () => undefined);
};

/** What a worker has counted; null if it does not say so in time. */
const metricsOf = (worker: Worker, id: number): Promise<MetricValues | null> =>
  new Promise((resolve) => {
    const end = (values: MetricValues | null): void => {
      worker.off('message', listen);
      clearTimeout(late);
      resolve(values);
    };
    const listen = (message: FromWorker): void => {
      if (message.is === 'metrics' && message.id === id) end(message.values);
    };
    const late = setTimeout(end, TIMEOUT_MS, null).unref();
    worker.on('message', listen);
    send(worker, { do: 'send-metrics', id });
  });

/** The metrics of all workers that answer, in their order, as one text. */
export async function joinedMetrics(workers: readonly Worker[]): Promise<string> {
  const id = performance.now();
  const found = await Promise.all(workers.map((worker) => metricsOf(worker, id)));
  return metricsOfAll(found.filter((values) => values !== null));
}
