/** Items of a long list in a body are found among the stored ones without comparing each with each. */
import { expect } from 'chai';
import { cpuTime } from '../support/cpu-time.js';
import { SHOP, startAdopted } from './shops.js';

const FILES = {
  'odd/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'odd', pluralName: 'odds', displayName: 'Odd' },
    pluginOptions: { mangrove: { storage: { collection: 'odds', id: 'any', write: true } } },
    attributes: {
      plain: { type: 'component', component: 'odd.plain', repeatable: true },
      named: { type: 'component', component: 'odd.named', repeatable: true },
    },
  },
  'components/odd/plain.json': {
    pluginOptions: { mangrove: { storage: {} } },
    attributes: { n: { type: 'integer' }, hidden: { type: 'string', private: true } },
  },
  'components/odd/named.json': {
    pluginOptions: { mangrove: { storage: { id: 'key' } } },
    attributes: { n: { type: 'integer' } },
  },
};

const LENGTH = 4000;
const numbers = Array.from({ length: LENGTH }, (_, n) => n);

describe('adopted collections: long lists of items', () => {
  for (const [what, at] of [
    ['reversed', (n: number) => LENGTH - 1 - n],
    ['new', (n: number) => LENGTH + n],
  ] as const)
    it(`${what}: in seconds, and nothing of a stored item is lost`, async () => {
      const plain = numbers.map((n) => ({ n: Math.floor(n / 2), hidden: `h${n}`, theirs: n }));
      const named = numbers.map((n) => ({ key: n, n, theirs: n }));
      const server = await startAdopted(FILES, { odds: [{ _id: SHOP(1), plain, named }] });
      const put = async (data: object): Promise<number> => {
        const start = cpuTime();
        expect((await server.sent(`/api/odds/${SHOP(1)}`, 'PUT', data)).status).to.equal(200);
        return cpuTime() - start;
      };
      try {
        const changed = await put({ plain: numbers.map((n) => ({ n: Math.floor(at(n) / 2) })) });
        // Each compared with each, they took more than 30 seconds.
        expect(changed).to.be.lessThan(10_000);
        if (what === 'new') return;
        await put({ named: named.toReversed().map(({ key, n }) => ({ id: String(key), n })) });
        const stored = await server.project.store.db.collection('odds').findOne();
        expect(stored?.['named']).to.deep.equal(named.toReversed());
        // Items that are shown alike keep their order.
        expect(stored?.['plain'].map(({ theirs }: { theirs: number }) => theirs)).to.deep.equal(
          numbers.map((n) => (n % 2 === 0 ? LENGTH - 2 - n : LENGTH - n)),
        );
      } finally {
        await server.close();
      }
    });
});
