import http from 'node:http';
import { performance } from 'node:perf_hooks';

/** What one slice of requests took. */
export interface Slice {
  /** Milliseconds of each request. */
  readonly times: readonly number[];
  readonly bytes: number;
  readonly seconds: number;
}

/** What all slices of a case measured together. Times in milliseconds. */
export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Of one answer. */
  readonly bytes: number;
}

const sum = (list: readonly number[]): number => list.reduce((total, one) => total + one, 0);

export const together = (slices: readonly Slice[]): Measured => {
  const times = slices.flatMap((slice) => slice.times).sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return {
    requests: times.length,
    perSecond: times.length / sum(slices.map((slice) => slice.seconds)),
    p50: at(0.5),
    p99: at(0.99),
    bytes: Math.round(sum(slices.map((slice) => slice.bytes)) / Math.max(1, times.length)),
  };
};

/** One request: path and query, and what a write sends. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const send = (
  agent: http.Agent,
  base: string,
  { method, path, body, headers: more }: Call,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { ...more, ...(body !== undefined && { 'content-type': 'application/json' }) };
    const request = http.request(new URL(path, base), { agent, method, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => {
        if (response.statusCode === 200 || response.statusCode === 201) resolve(bytes);
        else reject(new Error(`${response.statusCode} for ${method} ${path}`));
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });

/** Sends requests over `connections` kept-alive connections for `seconds`, each as soon as the last one ended. */
export const measure = async (
  base: string,
  next: () => Call,
  connections: number,
  seconds: number,
): Promise<Slice> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let bytes = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      const received = await send(agent, base, next());
      bytes += received;
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  agent.destroy();
  return { times, bytes, seconds: (performance.now() - begin) / 1000 };
};
