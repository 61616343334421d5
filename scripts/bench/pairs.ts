import { signToken } from '../../src/access/identity/jwt.js';
import { callOf } from './case.js';
import { accounts } from './content.js';
import { type Call, measure } from './load.js';
import { writeCases } from './write-cases.js';

const ROUNDS = 12;
const WARM_UP = 3;
const BATCH_SIZE = 20;

/** Of accounts that exist in the benchmark alone. */
export const JWT_SECRET = '5b0c6f2e9d4a4c1fb7e83a60d19f2c74';

/** Two ways to ask Mangrove for the same work, or for the same with and without a feature. */
interface Pair {
  readonly name: string;
  /** What is counted per second. */
  readonly unit: string;
  readonly ways: readonly [Way, Way];
}

interface Way {
  readonly name: string;
  /** How many units one request does. */
  readonly units: number;
  /** @param next the next number, each of which is given once */
  call(next: () => number, size: number): Call;
}

export interface PairGain {
  readonly pair: Pair;
  readonly connections: number;
  /** Units per second of each way, medians of rounds in turns. */
  readonly rates: readonly [number, number];
  /** The median of the rounds' ratios, the first way's rate to the second's. */
  readonly ratio: number;
}

const creation = writeCases.find(({ name }) => name === 'POST');
if (!creation?.body) throw new TypeError('no case creates');
const { body } = creation;

/** A list of memos for one of the accounts, of which every other one has the role with the rule. */
const memosOf = (account: number, size: number): Call => {
  const id = 1 + (account % accounts(size));
  const token = signToken({ kind: 'plain', id, passwordVersion: 0 }, JWT_SECRET, '1d');
  return { method: 'GET', path: '/api/memos', headers: { authorization: `Bearer ${token}` } };
};

export const pairs: readonly Pair[] = [
  {
    name: `batch of ${BATCH_SIZE}`,
    unit: 'creations',
    ways: [
      {
        name: 'in batches',
        units: BATCH_SIZE,
        call: (next, size) => ({
          method: 'POST',
          path: '/api/batch',
          body: JSON.stringify({
            operations: Array.from({ length: BATCH_SIZE }, () => ({
              action: 'create',
              plural: 'restaurants',
              data: body(next(), size),
            })),
          }),
        }),
      },
      { name: 'in requests of their own', units: 1, call: (next, size) => callOf(creation, next(), size) },
    ],
  },
  {
    name: 'owner rule',
    unit: 'lists',
    ways: [
      { name: 'by rule', units: 1, call: (next, size) => memosOf(2 * next() + 1, size) },
      { name: 'free', units: 1, call: (next, size) => memosOf(2 * next(), size) },
    ],
  },
];

const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

/** @param seconds that each of the two is asked */
export async function comparePair(
  address: string,
  pair: Pair,
  {
    connections,
    seconds,
    size,
  }: { readonly connections: number; readonly seconds: number; readonly size: number },
): Promise<PairGain> {
  let n = 0;
  const next = (): number => n++;
  const perSecond = async (way: Way, during: number): Promise<number> => {
    const slice = await measure(address, () => way.call(next, size), connections, during);
    return (slice.times.length * way.units) / slice.seconds;
  };
  const [first, second] = pair.ways;
  for (const way of pair.ways) await perSecond(way, WARM_UP);
  const rounds: (readonly [number, number])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const rate = await perSecond(first, seconds / ROUNDS);
    rounds.push([rate, await perSecond(second, seconds / ROUNDS)]);
  }
  return {
    pair,
    connections,
    rates: [median(rounds.map(([rate]) => rate)), median(rounds.map(([, rate]) => rate))],
    ratio: median(rounds.map(([a, b]) => a / b)),
  };
}
