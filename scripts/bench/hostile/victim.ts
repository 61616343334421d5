import http from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** What an ordinary visitor felt. Times in milliseconds, from the moment at which a request was due. */
export interface Felt {
  readonly requests: number;
  /** Requests that were not answered with a page. */
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const EVERY_MS = 25;
/** A page of 25 restaurants takes more; an empty one would be no proof. */
const PAGE_BYTES = 10_000;
/** Milliseconds after which the visitor has gone. */
const PATIENCE = 60_000;

/** Another client than the attacker; all of 127.0.0.0/8 is the machine itself on Linux. */
const OWN_ADDRESS = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

const visit = (url: URL, agent: http.Agent): Promise<boolean> =>
  new Promise((resolve) => {
    const request = http.get(url, { agent, timeout: PATIENCE }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('end', () => resolve(response.statusCode === 200 && bytes > PAGE_BYTES));
      response.once('error', () => resolve(false));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });

/**
 * Asks for a page at fixed moments, whether or not the last answer is there: one that asked again only after an answer would hardly
 * notice a server that stands still.
 */
export const visits = async (url: URL, seconds: number): Promise<Felt> => {
  const agent = new http.Agent({ keepAlive: true, ...OWN_ADDRESS });
  const times: number[] = [];
  let failed = 0;
  const due = async (at: number): Promise<void> => {
    if (!(await visit(url, agent))) failed += 1;
    times.push(performance.now() - at);
  };
  const begin = performance.now();
  const all: Promise<void>[] = [];
  for (let at = begin; at < begin + seconds * 1000; at += EVERY_MS) {
    await sleep(Math.max(0, at - performance.now()));
    all.push(due(at));
  }
  await Promise.all(all);
  agent.destroy();
  times.sort((a, b) => a - b);
  const share = (part: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
  return { requests: times.length, failed, p50: share(0.5), p99: share(0.99), max: share(1) };
};
