import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { asTheyCome } from '../../src/values/as-they-come.js';

const allOf = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const value of source) all.push(value);
  return all;
};

describe('values as they come', () => {
  async function* some() {
    yield 1;
    yield 2;
    yield 3;
    await sleep(20);
    yield 4;
    yield 5;
  }

  it('have what is there', async () => {
    expect(await allOf(asTheyCome(some(), 4))).to.deep.equal([
      [1, 2, 3],
      [4, 5],
    ]);
    expect(await allOf(asTheyCome(some(), 2))).to.deep.equal([[1, 2], [3], [4, 5]]);
  });

  it('end with the error of the source, after what came before', async () => {
    async function* failing() {
      yield 1;
      throw new Error('broken');
    }
    const seen: (readonly number[])[] = [];
    const error = await (async () => {
      for await (const batch of asTheyCome(failing(), 4)) seen.push(batch);
    })().catch((thrown: unknown) => thrown);
    expect([seen, String(error)]).to.deep.equal([[[1]], 'Error: broken']);
  });

  it('do not wait for a value that nobody wants', async () => {
    async function* endless() {
      yield 1;
      await new Promise(() => undefined);
    }
    for await (const batch of asTheyCome(endless(), 4)) {
      expect(batch).to.deep.equal([1]);
      break;
    }
  });
});
