/** What each operator takes, of each kind of attribute, is what the description of `filters` says. */
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { contractParts } from '../../src/http/contract-parts.js';
import { allRoutes } from '../../src/http/routes/all.js';
import { NO_DEFINITION } from '../../src/project-code/types.js';
import { OPERATORS } from '../../src/query/operators.js';
import { parseQueryText } from '../../src/query/parse.js';
import { NO_CODE } from '../../src/strapi/open.js';
import { planOf } from '../support/corpus/plan.js';
import { corpusSchema, typeNamed } from '../support/corpus/schema.js';
import { listed } from '../support/described/check.js';
import { isTolerated } from '../support/described/tolerated.js';
import { validatorsOf } from '../support/described/validators.js';

const parts = {
  config: makeConfig('/project'),
  schema: corpusSchema,
  code: NO_CODE,
  own: { definition: NO_DEFINITION },
};

/** What may stand behind an operator, with a value for `*`. */
const FORMS = ['', '=', '=*', '[0]=*', '[0]=*&*[1]=*', '[0]', '[0][0]=*', '[a]=*', '[0][a]=*'];
const VALUES = ['1', '2.5', 'true', '2024-01-01', '10:00:00', 'text', '$where'];

const isPlanned = (query: string): boolean => {
  try {
    planOf(query);
    return true;
  } catch {
    return false;
  }
};

describe('describe/contract/filters', () => {
  const validators = validatorsOf(contractParts(parts, allRoutes(parts)), {});
  const operation = validators.operation('get', '/api/restaurants');
  const describes = operation && validators.query(operation, 'filters');
  const names = [...typeNamed('restaurant').attributes.keys()].filter((name) =>
    isPlanned(`filters[${name}][$null]=true`),
  );
  it('speaks of scalars, components, relations and files', () =>
    expect(names).to.include.members(['stars', 'location', 'menu', 'owner', 'categories', 'cover']));
  for (const name of names)
    it(`describes all that operators take of ${name}`, () => {
      if (!describes) throw new TypeError('filters are not described');
      const undescribed: string[] = [];
      let planned = 0;
      for (const operator of [...OPERATORS.keys(), '$not'])
        for (const form of FORMS)
          for (const value of VALUES) {
            const place = `filters[${name}][${operator}]`;
            const query = `${place}${form.replaceAll('&*', `&${place}`).replaceAll('*', value)}`;
            if (!isPlanned(query)) continue;
            planned += 1;
            const filters = listed(parseQueryText(query)['filters']);
            if (!isTolerated('filters', filters) && !describes(filters)) undescribed.push(query);
          }
      expect(planned).to.be.greaterThan(100);
      expect([...new Set(undescribed)]).to.deep.equal([]);
    });
});
