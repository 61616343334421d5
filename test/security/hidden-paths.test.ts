/**
 * CVE-2023-22894, CVE-2023-34235, CVE-2022-30617, CVE-2022-30618, CVE-2023-36472, CVE-2023-37263 (Strapi),
 * CVE-2023-30843 (Payload): callers found out hidden values by filters, sorts and populates that named them. Here every
 * path through the schema to a private value, a password or a type without a grant is tried in every position of a
 * query: it is refused, or the resulting plan contains nothing of it, so neither rows nor their number, order or timing
 * can reveal it.
 */
import { expect } from 'chai';
import { compileGrants } from '../../src/access/identity/grants.js';
import { ApiError } from '../../src/errors.js';
import type { ReadPlan } from '../../src/query/read-plan.js';
import { brackets, hiddenFrom, pathsFrom, queriesFor } from '../support/attribute-paths.js';
import { planOf } from '../support/corpus/plan.js';
import { corpusSchema as schema } from '../support/corpus/schema.js';
import { touched } from '../support/touched.js';

const OPEN = ['restaurant', 'category', 'article', 'review', 'homepage', 'about'];
const grants = compileGrants(
  OPEN.flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]),
);
const caller = { grants, anonymous: true };

const isHidden = hiddenFrom(grants);

const planned = (name: string, query: string): ReadPlan | null => {
  try {
    return planOf(query, { type: name, caller });
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
};

describe('security: hidden paths: CVE-2023-22894, CVE-2023-34235, CVE-2022-30617, CVE-2022-30618, CVE-2023-36472, CVE-2023-37263, CVE-2023-30843 (Payload)', () => {
  for (const name of OPEN) {
    const uid = `api::${name}.${name}`;
    const type = schema.contentTypes.get(uid);
    if (!type) throw new Error(uid);
    const paths = pathsFrom(type, { schema, isHidden, steps: 3 });
    const hidden = paths.filter((path) => path.hidden);

    it(`${name}: ${hidden.length} hidden paths are refused, or the plan contains nothing of them`, () => {
      expect(hidden.length).to.be.above(0);
      for (const { names } of hidden)
        for (const query of queriesFor(names)) {
          const plan = planned(name, query);
          if (!plan) continue;
          const leaked = [...touched(plan)].filter(isHidden).map((attribute) => attribute.name);
          expect(leaked, query).to.deep.equal([]);
        }
    });

    it(`${name}: a filter and a sort by a hidden path are a 400, not an empty result`, () => {
      for (const { names } of hidden) {
        expect(planned(name, `filters${brackets(names)}[$notNull]=true`), names.join('.')).to.equal(null);
        expect(planned(name, `sort=${names.join('.')}`), names.join('.')).to.equal(null);
      }
    });

    it(`${name}: populating everything, and searching, touches nothing hidden`, () => {
      for (const query of ['populate=*', '_q=a', 'fields=*', 'populate[localizations][populate]=*']) {
        const plan = planned(name, query);
        expect([...(plan ? touched(plan) : [])].filter(isHidden), query).to.deep.equal([]);
      }
    });

    it(`${name}: visible paths are allowed`, () => {
      const open = paths.filter((path) => !path.hidden && path.names.length === 1);
      for (const { names } of open) expect(planned(name, `fields=${names[0]}`), names[0]).to.not.equal(null);
    });
  }
});
