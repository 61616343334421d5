/** Filters on lists: one member must satisfy the operator; of a negated one, none may. */
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { type AdoptedServer, SHOP, startAdopted } from './shops.js';

const FILES = {
  'set/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'set', pluralName: 'sets', displayName: 'Set' },
    pluginOptions: { mangrove: { storage: { collection: 'sets', lists: ['numbers', 'words'] } } },
    attributes: {
      numbers: { type: 'integer' },
      words: { type: 'string' },
      parts: { type: 'component', component: 'set.part', repeatable: true },
    },
  },
  'components/set/part.json': {
    pluginOptions: { mangrove: { storage: { lists: ['numbers'] } } },
    attributes: { numbers: { type: 'integer' } },
  },
};

type Numbers = number | readonly number[];
type Holds = (member: number) => boolean;

const OPERATORS: readonly (readonly [query: string, holds: Holds, negated: boolean])[] = [
  ['[$eq]=5', (n) => n === 5, false],
  ['[$ne]=5', (n) => n === 5, true],
  ['[$in][0]=5&@[$in][1]=6', (n) => n === 5 || n === 6, false],
  ['[$notIn][0]=5&@[$notIn][1]=6', (n) => n === 5 || n === 6, true],
  ['[$lt]=5', (n) => n < 5, false],
  ['[$gte]=5', (n) => n >= 5, false],
  ['[$between][0]=4&@[$between][1]=6', (n) => n >= 4 && n <= 6, false],
  ['[$not][$between][0]=4&@[$not][$between][1]=6', (n) => n >= 4 && n <= 6, true],
  ['[$not][$lt]=5', (n) => n < 5, true],
  ['[$not][$gt]=5', (n) => n > 5, true],
];

const matches = (numbers: Numbers | null, holds: Holds, negated: boolean): boolean =>
  numbers !== null && [numbers].flat().some(holds) !== negated;

describe('adopted collections: filters on lists', () => {
  const random = randomOf(SEED);
  const anyNumbers = (): Numbers | null => {
    const numbers = Array.from({ length: random.below(4) }, () => random.below(10));
    return random.below(8) === 0 ? null : random.below(4) === 0 ? random.below(10) : numbers;
  };
  const sets = Array.from({ length: 60 }, (_, at) => ({
    _id: SHOP(at + 1),
    numbers: anyNumbers(),
    words: ['alpha', 'beta', 'gamma'].slice(random.below(3)),
    parts: Array.from({ length: random.below(3) }, () => ({ numbers: anyNumbers() })),
  }));
  let server: AdoptedServer;

  before(async () => {
    server = await startAdopted(FILES, { sets });
  });
  after(() => server?.close());

  const found = async (query: string): Promise<readonly Record<string, unknown>[]> => {
    const answer = await server.get(`/api/sets?pagination[pageSize]=100&sort=id&${query}`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.at('data') as Record<string, unknown>[];
  };
  const idsOf = (rows: readonly Record<string, unknown>[]): unknown[] =>
    rows.map(({ documentId }) => documentId);
  const written = (operator: string, before: string): string =>
    `${before}${operator.replaceAll('&@', `&${before}`)}`;

  for (const [operator, holds, negated] of OPERATORS) {
    it(`${operator}, of entries`, async () => {
      const expected = sets.filter(({ numbers }) => matches(numbers, holds, negated));
      expect(expected).not.to.be.oneOf([[], sets]);
      expect(idsOf(await found(written(operator, 'filters[numbers]')))).to.deep.equal(
        expected.map(({ _id }) => String(_id)),
      );
    });

    it(`${operator}, of component items`, async () => {
      const expected = sets.filter(({ parts }) =>
        parts.some(({ numbers }) => matches(numbers, holds, negated)),
      );
      expect(idsOf(await found(written(operator, 'filters[parts][numbers]')))).to.include.members(
        expected.map(({ _id }) => String(_id)),
      );
      const rows = await found(written(operator, 'populate[parts][filters][numbers]'));
      const shown = rows.map(({ parts }) => (parts as { numbers: Numbers }[]).map(({ numbers }) => numbers));
      expect(shown).to.deep.equal(
        sets.map(({ parts }) =>
          parts.map(({ numbers }) => numbers).filter((numbers) => matches(numbers, holds, negated)),
        ),
      );
    });
  }

  it('text operators look at each member', async () => {
    const of = (query: string) => found(query).then(idsOf);
    const having = (word: string) =>
      sets.filter(({ words }) => words.some((one) => one.includes(word))).map(({ _id }) => String(_id));
    expect(await of('filters[words][$contains]=lph')).to.deep.equal(having('alpha'));
    expect(await of('filters[words][$startsWith]=bet')).to.deep.equal(having('beta'));
  });
});
