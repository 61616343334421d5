import { expect } from 'chai';
import { readingConditions } from '../../src/access/index.js';
import { makeConfig } from '../../src/config/load.js';
import type { RolesConfig } from '../../src/config/types.js';
import { ruleIndexes } from '../../src/describe/rule-indexes.js';
import { desiredIndexes } from '../../src/store/indexes/indexes.js';
import { type TestStore, testStore } from '../support/engine.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const USER = 'plugin::users-permissions.user';
const schema = schemaOf(
  typeFile(
    'order',
    {
      tenant: { type: 'string' },
      state: { type: 'string' },
      at: { type: 'datetime' },
      isbn: { type: 'string', unique: true },
      buyer: { type: 'relation', relation: 'manyToOne', target: USER },
      lines: { type: 'relation', relation: 'oneToMany', target: 'api::line.line', mappedBy: 'order' },
    },
    { draftAndPublish: true, file: { indexes: [{ name: 'by_state', columns: ['state', 'at'] }] } },
  ),
  typeFile('line', {
    order: { type: 'relation', relation: 'manyToOne', target: 'api::order.order', inversedBy: 'lines' },
  }),
);
const find = 'api::order.order.find';

describe('indexes that rules want', () => {
  let test: TestStore;
  before(async () => {
    test = await testStore();
  });
  after(() => test.close());
  const wantedBy = async (roles: RolesConfig) => {
    const conditions = await readingConditions({
      store: test.store,
      schema,
      config: makeConfig('.', { roles }),
    });
    return ruleIndexes(conditions, desiredIndexes(schema)).map(
      ({ collection, name, by }) => `${collection} ${name} ${by.join()}`,
    );
  };

  const ROWS: readonly (readonly [what: string, where: object, wanted: readonly string[]])[] = [
    ['an attribute', { tenant: '$caller.username' }, ['tenant_1_id_1']],
    ['an attribute with an index of the schema', { state: 'open' }, []],
    ['a unique one', { isbn: 'x' }, []],
    ['a reference, which always has one', { buyer: { id: '$caller.id' } }, []],
    ['one of two, of which the other has an index', { tenant: 'a', state: 'open' }, []],
    ['an equality before a range', { at: { $lte: '$now' }, tenant: 'a' }, ['tenant_1_id_1']],
    ['a range', { at: { $lte: '$now' } }, ['at_1_id_1']],
    ['each alternative', { $or: [{ tenant: 'a' }, { at: { $gt: '$now' } }] }, ['tenant_1_id_1', 'at_1_id_1']],
    [
      'an alternative for which no index helps',
      { $or: [{ tenant: 'a' }, { tenant: { $contains: 'b' } }] },
      [],
    ],
    ['the other side of a relation', { lines: { id: 5 } }, []],
    ['a part of a text', { tenant: { $contains: 'a' } }, []],
  ];
  for (const [what, where, wanted] of ROWS)
    it(`${what}: ${wanted.join() || 'none'}`, async () => {
      const both = wanted.flatMap((name) =>
        ['orders', 'orders.drafts'].map((one) => `${one} ${name} role r`),
      );
      expect(await wantedBy({ r: [{ action: find, where }] })).to.have.members(both);
    });

  it('are named once for all who want them, and not for rules of writing', async () => {
    const where = { tenant: '$caller.username' };
    expect(
      await wantedBy({
        one: [{ action: find, where }],
        two: [{ action: find, where }, 'api::line.line.find'],
        three: [{ action: 'api::order.order.update', where: { at: '$now' } }],
      }),
    ).to.deep.equal([
      'orders tenant_1_id_1 role one,role two',
      'orders.drafts tenant_1_id_1 role one,role two',
    ]);
  });
});
