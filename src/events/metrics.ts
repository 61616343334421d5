import { type AppEvent, EVENTS, type EventName, rowOf } from './events.js';

/** Upper bounds of histograms, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Observations with the same labels: their number, their sum, and how many fall into each bucket. */
interface Series {
  count: number;
  sum: number;
  readonly upTo: number[];
}

interface Metrics {
  count(event: AppEvent): void;
  /** Prometheus' text format. */
  text(): string;
}

const seriesLines = (name: string, labels: string, { count, sum, upTo }: Series): string[] => {
  let within = 0;
  const buckets = BOUNDS.map((bound, at) => {
    within += upTo[at] ?? 0;
    return `${name}_bucket{${labels},le="${bound}"} ${within}`;
  });
  return [
    ...buckets,
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ];
};

const head = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

/** Counts the events of this process. */
export function createMetrics(): Metrics {
  const counts = new Map<EventName, number>();
  const histograms = new Map<string, { readonly help: string; readonly series: Map<string, Series> }>();
  for (const { histogram } of Object.values(EVENTS))
    if (histogram) histograms.set(histogram.name, { help: histogram.help, series: new Map() });

  const observe = (name: string, labels: string, value: number): void => {
    const series = histograms.get(name)?.series;
    const one = series?.get(labels) ?? { count: 0, sum: 0, upTo: BOUNDS.map(() => 0) };
    series?.set(labels, one);
    one.count += 1;
    one.sum += value;
    const at = BOUNDS.findIndex((bound) => value <= bound);
    if (at >= 0) one.upTo[at] = (one.upTo[at] ?? 0) + 1;
  };

  const countOf = (name: EventName): number => counts.get(name) ?? 0;

  return {
    count(event) {
      counts.set(event.name, countOf(event.name) + 1);
      const { histogram } = rowOf(event);
      if (!histogram) return;
      const labels = Object.entries(histogram.labels(event)).map(([label, value]) => `${label}="${value}"`);
      observe(histogram.name, labels.join(','), histogram.value(event));
    },
    text() {
      const inFlight = countOf('request-received') - countOf('request-answered');
      return [
        ...head('mangrove_requests_in_flight', 'gauge', 'Requests that are being answered.'),
        `mangrove_requests_in_flight ${inFlight}`,
        ...[...histograms].flatMap(([name, { help, series }]) => [
          ...head(name, 'histogram', help),
          ...[...series].flatMap(([labels, one]) => seriesLines(name, labels, one)),
        ]),
        ...head('mangrove_events_total', 'counter', 'Events by name, as docs/events.md has them.'),
        ...[...counts].map(([name, count]) => `mangrove_events_total{event="${name}"} ${count}`),
        ...head('mangrove_resident_memory_bytes', 'gauge', 'Memory of the process.'),
        `mangrove_resident_memory_bytes ${process.memoryUsage.rss()}`,
        '',
      ].join('\n');
    },
  };
}
