import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { planOf } from '../support/corpus/plan.js';

/** `{ filters: { $not: { $not: … } } }`, built without recursion. */
function nested(levels: number, key: string): object {
  let value: object = { name: 'x' };
  for (let level = 0; level < levels; level += 1) value = { [key]: value };
  return value;
}

const costly: Readonly<Record<string, string | Readonly<Record<string, unknown>>>> = {
  'a million brackets in one key': `filters${'[$not]'.repeat(1_000_000)}[name]=x`,
  'a million unclosed brackets': `filters${'['.repeat(1_000_000)}=x`,
  'a hundred thousand parameters': 'filters[name]=x&'.repeat(100_000),
  'a populate path of a hundred thousand steps': `populate=${'owner.restaurants.'.repeat(50_000)}owner`,
  'a sort path of a hundred thousand steps': `sort=${'owner.restaurants.'.repeat(50_000)}name`,
  'filters a hundred thousand levels deep': { filters: nested(100_000, '$not') },
  'populate a hundred thousand levels deep': { populate: nested(100_000, 'populate') },
  'a list of a million values': { filters: { id: { $in: Array.from({ length: 1_000_000 }, (_, i) => i) } } },
  'a million fields': { fields: Array.from({ length: 1_000_000 }, () => 'name') },
};

const refuse = (query: string | object): void => {
  expect(() => planOf(query as string))
    .throw(ApiError)
    .that.includes({ status: 400 });
};

describe('expensive queries are refused', () => {
  for (const [name, query] of Object.entries(costly)) it(name, () => refuse(query));

  for (const levels of [50, 1_000, 100_000])
    it(`filters ${levels} levels deep`, () => refuse({ filters: nested(levels, '$not') }));

  for (const levels of [50, 500, 2_500])
    it(`${levels} brackets in one key`, () => refuse(`filters${'[$not]'.repeat(levels)}[name]=x`));

  it('more parameters than allowed', () => refuse('a=1&'.repeat(1001)));
});
