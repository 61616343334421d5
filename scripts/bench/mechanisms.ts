import { MECHANISMS, type Mechanism, WITHOUT } from '../../src/limits/mechanisms.js';
import { type Case, callOf } from './case.js';
import { type Child, start } from './child.js';
import { measure } from './load.js';
import { trafficCases } from './traffic.js';

/** A kind of request with a mechanism and without it: medians over rounds in turns. */
export interface Gain {
  readonly mechanism: string;
  readonly name: string;
  /** Requests per second, with to without. */
  readonly speed: number;
  /** CPU per request, without to with. */
  readonly cpu: number;
}

/** The kinds of requests that a mechanism can make faster; all of them if absent. */
const CONCERNS: Partial<Record<Mechanism, readonly string[]>> = {
  'count strategy': ['list', 'filter', 'by slug', '_q'],
  'documents together': ['by id'],
  'similar reads': ['filter', 'by slug'],
  'writes together': ['writes'],
  'large reads': ['populated'],
};

const ROUNDS = 10;
const ROUND_SECONDS = 0.35;
const WARM_UP = 5;

const median = (list: readonly number[]): number => {
  const sorted = [...list].sort((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[at] ?? Number.NaN)
    : ((sorted[at - 1] ?? 0) + (sorted[at] ?? 0)) / 2;
};

export interface Compared {
  readonly uri: string;
  readonly database: string;
  readonly dataDir: string;
  readonly size: number;
  readonly connections: number;
  /** Of the engine, if it is ours. */
  readonly engine: Child | null;
}

/** Measures two servers in short rounds, one of them without a mechanism, so that other load on the machine falls on both. */
export async function* compareMechanisms(
  given: Compared,
  /** Of mechanisms, or several joined by commas; all if empty. */
  names: readonly string[],
): AsyncGenerator<Gain> {
  const { uri, database, dataDir } = given;
  for (const mechanism of names.length > 0 ? names : MECHANISMS) {
    const args = [uri, database, dataDir];
    const pair: Pair = [
      await start('./server.js', args),
      await start('./server.js', args, { [WITHOUT]: mechanism }),
    ];
    const concerns = CONCERNS[mechanism as Mechanism];
    const isConcerned = ({ name }: Case): boolean =>
      !concerns || name.endsWith(': all') || concerns.some((kind) => name.endsWith(`: ${kind}`));
    for (const each of trafficCases.filter(isConcerned))
      yield { mechanism, ...(await gainOf(each, pair, given)) };
    for (const server of pair) await server.stop();
  }
}

type Pair = readonly [own: Child, less: Child];

/** @param settle waits until a server has done what it does after its answers; its CPU counts, not its time */
export async function gainOf(
  each: Case,
  [own, less]: Pair,
  { size, connections, engine }: Compared,
  settle: (child: Child) => Promise<void> = async () => undefined,
): Promise<Omit<Gain, 'mechanism'>> {
  let n = 0;
  const cpuOf = async (child: Child): Promise<number> => (await child.cpu()) + ((await engine?.cpu()) ?? 0);
  const take = async (child: Child, seconds: number) => {
    const before = await cpuOf(child);
    const { times, seconds: took } = await measure(
      child.address,
      () => callOf(each, n++, size),
      connections,
      seconds,
    );
    await settle(child);
    return { perSecond: times.length / took, cpu: ((await cpuOf(child)) - before) / times.length };
  };
  const warmUp = each.name.endsWith(': all') ? WARM_UP : 2 * ROUND_SECONDS;
  await take(own, warmUp);
  await take(less, warmUp);
  const speeds: number[] = [];
  const cpus: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? [own, less] : [less, own];
    const taken = new Map<Child, Awaited<ReturnType<typeof take>>>();
    for (const child of order) taken.set(child, await take(child, ROUND_SECONDS));
    const [mine, without] = [taken.get(own), taken.get(less)];
    if (!mine || !without) continue;
    speeds.push(mine.perSecond / without.perSecond);
    cpus.push(without.cpu / mine.cpu);
  }
  return { name: each.name, speed: median(speeds), cpu: median(cpus) };
}
