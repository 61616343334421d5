import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { planOf } from '../support/corpus/plan.js';

const stranger = { grants: null, anonymous: true };

describe('security: drafts', () => {
  for (const filter of ['modified', 'unmodified', 'published-without-draft', 'published-with-draft'])
    it(`MANGROVE-14: publicationFilter=${filter} reveals nothing about drafts to anonymous callers`, () => {
      const query = `publicationFilter=${filter}`;
      expect(() => planOf(query, { caller: stranger, settings: { publicDrafts: false } }))
        .throw(ApiError)
        .that.includes({ status: 403 });
      for (const params of [
        { caller: { grants: null } },
        { caller: stranger, settings: { publicDrafts: true } },
      ])
        expect(planOf(query, params).publication).to.equal(filter);
    });
});
