import type { AppMiddleware } from '../context.js';

/** Upper bounds of the duration histogram, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** Requests of one method and status: how many, how long together, and how many within each bound. */
interface Series {
  count: number;
  seconds: number;
  readonly within: number[];
}

const HEAD = [
  '# HELP mangrove_requests_in_flight Requests that are being answered.',
  '# TYPE mangrove_requests_in_flight gauge',
  '# HELP mangrove_request_duration_seconds Time to answer a request.',
  '# TYPE mangrove_request_duration_seconds histogram',
  '# HELP mangrove_resident_memory_bytes Memory of the process.',
  '# TYPE mangrove_resident_memory_bytes gauge',
];

const seriesLines = (labels: string, { count, seconds, within }: Series): string[] => {
  const name = 'mangrove_request_duration_seconds';
  const buckets = BOUNDS.map((bound, at) => `${name}_bucket{${labels},le="${bound}"} ${within[at]}`);
  return [
    ...buckets,
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ];
};

/** Methods are labels: only those that there are, so that no caller makes new series. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** `GET /metrics` in Prometheus' text format, and the counting of everything below. Switched on by `server.metrics`. */
export const metrics = (): AppMiddleware => {
  const series = new Map<string, Series>();
  let inFlight = 0;

  const note = (method: string, status: number, seconds: number): void => {
    const labels = `method="${METHODS.has(method) ? method : 'other'}",status="${status}"`;
    const known = series.get(labels) ?? { count: 0, seconds: 0, within: BOUNDS.map(() => 0) };
    series.set(labels, known);
    known.count += 1;
    known.seconds += seconds;
    for (const [at, bound] of BOUNDS.entries())
      if (seconds <= bound) known.within[at] = (known.within[at] ?? 0) + 1;
  };

  const text = (): string =>
    [
      ...HEAD,
      `mangrove_requests_in_flight ${inFlight}`,
      ...[...series].flatMap(([labels, one]) => seriesLines(labels, one)),
      `mangrove_resident_memory_bytes ${process.memoryUsage.rss()}`,
      '',
    ].join('\n');

  return async (ctx, next) => {
    if (ctx.path === '/metrics' && ctx.method === 'GET') {
      ctx.type = 'text/plain; version=0.0.4; charset=utf-8';
      ctx.body = text();
      return;
    }
    const start = performance.now();
    inFlight += 1;
    try {
      await next();
    } finally {
      inFlight -= 1;
      note(ctx.method, ctx.status, (performance.now() - start) / 1000);
    }
  };
};
