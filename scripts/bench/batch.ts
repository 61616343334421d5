import { callOf } from './case.js';
import { type Call, measure } from './load.js';
import { writeCases } from './write-cases.js';

/** Creations of one batch. */
const SIZE = 20;
const ROUNDS = 12;
const WARM_UP = 3;

/** Creations by `POST /batch` beside the same ones by requests of their own. */
export interface BatchGain {
  readonly connections: number;
  /** Creations per second, medians of rounds in turns. */
  readonly batched: number;
  readonly single: number;
  /** The median of their ratios. */
  readonly ratio: number;
}

const median = (list: readonly number[]): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

export const BATCH_CASE = `batch of ${SIZE}`;

/** @param seconds that each of the two is asked */
export async function compareBatch(
  address: string,
  {
    connections,
    seconds,
    size,
  }: { readonly connections: number; readonly seconds: number; readonly size: number },
): Promise<BatchGain> {
  const creation = writeCases.find(({ name }) => name === 'POST');
  if (!creation?.body) throw new TypeError('no case creates');
  const { body } = creation;
  let n = 0;
  const single = (): Call => callOf(creation, n++, size);
  const batched = (): Call => ({
    method: 'POST',
    path: '/api/batch',
    body: JSON.stringify({
      operations: Array.from({ length: SIZE }, () => ({
        action: 'create',
        plural: 'restaurants',
        data: body(n++, size),
      })),
    }),
  });
  const perSecond = async (call: () => Call, each: number, during: number): Promise<number> => {
    const { times, seconds: took } = await measure(address, call, connections, during);
    return (times.length * each) / took;
  };
  await perSecond(single, 1, WARM_UP);
  await perSecond(batched, SIZE, WARM_UP);
  const rates: (readonly [batched: number, single: number])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await perSecond(single, 1, seconds / ROUNDS);
    rates.push([await perSecond(batched, SIZE, seconds / ROUNDS), alone]);
  }
  return {
    connections,
    batched: median(rates.map(([rate]) => rate)),
    single: median(rates.map(([, rate]) => rate)),
    ratio: median(rates.map(([mine, alone]) => mine / alone)),
  };
}
