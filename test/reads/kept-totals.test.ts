import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { createReader } from '../../src/documents/read/reader.js';
import { newMoves } from '../../src/store/connection/moves.js';
import { newKeptCounts, newTotals } from '../../src/store/connection/totals.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { readConfig, requestFor } from '../support/reading.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 300);

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await turn();
};

describe('cached counts', () => {
  const counted = { name: 'all', collections: ['things', 'others'] };

  it('are never behind a completed write of this process, whatever happens concurrently', () => {
    const step = fc.record({
      kind: fc.constantFrom('write', 'fail', 'count', 'count', 'count', 'wait'),
      before: fc.nat(3),
      after: fc.nat(3),
    });
    return fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const moves = newMoves();
        const kept = newKeptCounts(moves, 60_000);
        let stored = 0;
        let ended = 0;
        const write = async (before: number, after: number): Promise<void> => {
          const end = moves.begin(['things']);
          await turns(before);
          stored += 1;
          const now = stored;
          await turns(after);
          end();
          ended = Math.max(ended, now);
        };
        const fail = async (before: number): Promise<void> => {
          const end = moves.begin(['others']);
          await turns(before);
          end();
        };
        const count = async (before: number, after: number): Promise<void> => {
          const atLeast = ended;
          const found = await kept.of(counted, async () => {
            await turns(before);
            const seen = stored;
            await turns(after);
            return seen;
          });
          expect(found).to.be.within(atLeast, stored);
        };
        const all: Promise<void>[] = [];
        for (const { kind, before, after } of steps)
          if (kind === 'wait') await turns(before + after);
          else
            all.push(
              kind === 'write' ? write(before, after) : kind === 'fail' ? fail(before) : count(before, after),
            );
        await Promise.all(all);
        await count(0, 0);
      }),
      { numRuns: RUNS },
    );
  });

  it('are computed once, even by concurrent requests', async () => {
    const kept = newKeptCounts(newMoves(), 60_000);
    let runs = 0;
    const count = async (): Promise<number> => {
      runs += 1;
      await turn();
      return 7;
    };
    expect(await Promise.all([kept.of(counted, count), kept.of(counted, count)])).to.deep.equal([7, 7]);
    expect(await kept.of(counted, count)).to.equal(7);
    expect(runs).to.equal(1);
  });

  it('do not fail for a request because a concurrent one was cancelled', async () => {
    const kept = newKeptCounts(newMoves(), 60_000);
    const broken = kept.of(counted, async () => {
      await turn();
      throw new Error('gone');
    });
    const other = kept.of(counted, () => Promise.resolve(3));
    expect(await broken.catch(String)).to.equal('Error: gone');
    expect(await other).to.equal(3);
  });

  it('are computed every time if the cache is off', async () => {
    const kept = newKeptCounts(newMoves(), 0);
    let runs = 0;
    for (let i = 0; i < 3; i++) await kept.of(counted, () => Promise.resolve(++runs));
    expect(runs).to.equal(3);
  });
});

describe('cached totals', () => {
  const schema = schemaOf(
    typeFile('owner', { name: { type: 'string' } }),
    typeFile('pet', {
      name: { type: 'string' },
      owner: { type: 'relation', relation: 'manyToOne', target: 'api::owner.owner' },
    }),
  );
  const pet = schema.contentTypes.get('api::pet.pet');
  let test: TestDocuments;
  let total: (query: string) => Promise<unknown>;

  before(async () => {
    test = await testDocuments(schema);
    const totals = newTotals({ maxTimeMS: 5000, maxAgeMS: 0, keptMS: 60_000 }, test.store.moves);
    const reader = createReader({ schema, store: { ...test.store, totals }, config: readConfig() });
    total = async (query) => {
      if (!pet) throw new Error('no pet');
      const { pagination } = await reader.list(requestFor(pet, `${query}&pagination[pageSize]=1`));
      return pagination?.['total'];
    };
  });
  after(() => test.close());

  it('follow each write of this process at once, including writes to what a filter goes through', async () => {
    const [pets, owners] = [test.documents('api::pet.pet'), test.documents('api::owner.owner')];
    const ann = await owners.create({ data: { name: 'Ann' } });
    const mine = 'filters[owner][name]=Ann';
    const made = [];
    for (let n = 1; n <= 3; n++) {
      made.push(await pets.create({ data: { name: `p${n}`, owner: ann.documentId } }));
      expect([await total(''), await total(mine)]).to.deep.equal([n, n]);
    }
    await pets.update({ documentId: String(made[0]?.documentId), data: { owner: null } });
    expect([await total(''), await total(mine)]).to.deep.equal([3, 2]);
    await owners.update({ documentId: String(ann.documentId), data: { name: 'Bea' } });
    expect([await total(mine), await total('filters[owner][name]=Bea')]).to.deep.equal([0, 2]);
    await pets.delete({ documentId: String(made[1]?.documentId) });
    expect([await total(''), await total('filters[owner][name]=Bea')]).to.deep.equal([2, 1]);
  });

  it('remain while only other processes write, for as long as they are cached', async () => {
    const before = await total('');
    await test.store.db.collection('pets').insertOne({ id: 99, documentId: 'other', name: 'other' });
    expect(await total('')).to.equal(before);
    await test.documents('api::pet.pet').create({ data: { name: 'own' } });
    expect(await total('')).to.equal(Number(before) + 2);
  });
});
