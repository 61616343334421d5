import http from 'node:http';
import { performance } from 'node:perf_hooks';

/** What one run of requests measured. Times in milliseconds. */
export interface Measured {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const get = (agent: http.Agent, url: URL): Promise<number> =>
  new Promise((resolve, reject) => {
    http
      .get(url, { agent }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve(bytes);
          else reject(new Error(`${response.statusCode} for ${url.href}`));
        });
        response.on('error', reject);
      })
      .on('error', reject);
  });

/**
 * Sends requests over `connections` kept-alive connections for `seconds`, each as soon as the last one ended.
 * @param next gives the path of the n-th request
 */
export const measure = async (
  base: string,
  next: (n: number) => string,
  connections: number,
  seconds: number,
): Promise<Measured> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let bytes = 0;
  let sent = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      bytes += await get(agent, new URL(next(sent++), base));
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  const spent = (performance.now() - begin) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  return {
    requests: times.length,
    perSecond: times.length / spent,
    p50: at(times, 0.5),
    p99: at(times, 0.99),
    bytes: Math.round(bytes / Math.max(1, times.length)),
  };
};
