import type * as Prometheus from 'prom-client';
import { packageOnUse } from '../values/on-use.js';
import { type AppEvent, EVENTS, rowOf } from './events.js';

/** Optional and 8 MB of memory, so only for servers that publish metrics. */
const promClient = packageOnUse<typeof Prometheus>('prom-client');

function load(): typeof Prometheus {
  try {
    return promClient();
  } catch {
    throw new Error('server.metrics needs the package "prom-client"; npm install prom-client');
  }
}

/** Upper bounds of histograms, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The metrics of one process as data, for another process. */
export type MetricValues = readonly Prometheus.MetricObjectWithValues<Prometheus.MetricValue<string>>[];

export interface Metrics {
  count(event: AppEvent): void;
  /** Prometheus' text format. */
  text(): Promise<string>;
  values(): Promise<MetricValues>;
}

/** Counts the events of this process. @param worker its number, a label of every sample */
export function createMetrics(worker?: number): Metrics {
  const { Counter, Gauge, Histogram, Registry } = load();
  const registry = new Registry();
  if (worker !== undefined) registry.setDefaultLabels({ worker });
  const registers = [registry];
  const inFlight = new Gauge({
    name: 'mangrove_requests_in_flight',
    help: 'Requests that are being answered.',
    registers,
  });
  const streams = new Gauge({
    name: 'mangrove_streams_open',
    help: 'Open streams of live lists.',
    registers,
  });
  const histograms = new Map<string, Prometheus.Histogram>();
  for (const { histogram } of Object.values(EVENTS)) {
    if (!histogram) continue;
    const { name, help, labelNames } = histogram;
    histograms.set(
      name,
      new Histogram({ name, help, labelNames: [...labelNames], buckets: BOUNDS, registers }),
    );
  }
  const events = new Counter({
    name: 'mangrove_events_total',
    help: 'Events by name, as docs/events.md has them.',
    labelNames: ['event'],
    registers,
  });
  new Gauge({
    name: 'mangrove_resident_memory_bytes',
    help: 'Memory of the process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  return {
    count(event) {
      events.inc({ event: event.name });
      if (event.name === 'request-received') inFlight.inc();
      if (event.name === 'request-answered') inFlight.dec();
      if (event.name === 'stream-opened') streams.inc();
      if (event.name === 'stream-closed') streams.dec();
      const { histogram } = rowOf(event);
      if (!histogram) return;
      const fields: Readonly<Record<string, unknown>> = { ...event };
      const { name, labelNames, labels } = histogram;
      const own =
        labels?.(event) ?? Object.fromEntries(labelNames.map((label) => [label, String(fields[label])]));
      histograms.get(name)?.observe(own, Number(fields['ms']) / 1000);
    },
    text: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
  };
}

/** The metrics of several processes as one text. */
export const metricsOfAll = (all: readonly MetricValues[]): Promise<string> =>
  load()
    .AggregatorRegistry.aggregate(all.map((values) => [...values]))
    .metrics();
