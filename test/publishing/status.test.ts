import { expect } from 'chai';
import type { Caller } from '../../src/query/read-plan.js';
import type { Status } from '../../src/schema/types.js';
import { planOf } from '../support/corpus/plan.js';

/** Rules A.8. */
const rows: readonly (readonly [string, Status])[] = [
  ['', 'published'],
  ['status=published', 'published'],
  ['status=draft', 'draft'],
  ['status=DRAFT', 'draft'],
  ['status=', 'draft'],
  ['status=nope', 'draft'],
  ['status[$eq]=published', 'draft'],
];

describe('query/plan/status', () => {
  for (const [text, expected] of rows) it(text, () => expect(planOf(text).status).equal(expected));

  it('the Document Service reads drafts by default', () => expect(planOf({}).status).equal('draft'));

  it('strict values are checked', () => {
    const settings = { strictValues: true };
    expect(() => planOf('status=nope', { settings })).throw(
      "Invalid parameter at 'status'. Expected 'published' or 'draft', received: nope",
    );
    expect(() => planOf('status=draft&status=nope', { settings })).throw('received: draft,nope');
    expect(planOf('status=', { settings }).status).equal('draft');
  });

  it('a wrong hasPublishedVersion is refused without details, as in Strapi', () => {
    expect(() => planOf('hasPublishedVersion=maybe'))
      .throw("Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.")
      .that.deep.includes({ status: 400, details: {} });
  });

  describe('for anonymous callers if drafts are not public (rules 0.4, row 2)', () => {
    const caller: Caller = { grants: { version: '1', allows: () => true }, anonymous: true };
    const options = { caller, settings: { publicDrafts: false } };

    it('drafts are forbidden', () => {
      for (const text of ['status=draft', 'status=nope', 'status='])
        expect(() => planOf(text, options))
          .throw()
          .that.includes({ status: 403, name: 'ForbiddenError' });
    });
    it('published entries are not', () => expect(planOf('', options).status).equal('published'));
    it('types without drafts never lead to drafts of others', () => {
      const plan = planOf('status=draft&populate=people', { ...options, type: 'memo' });
      expect(plan.selection.relations[0]?.targets[0]?.status).equal('published');
    });
    it('the inverse of media includes published entries only', () => {
      const files = planOf('populate[cover][populate]=*', options).selection.relations[0]?.targets[0];
      const shown = files?.selection.relations.flatMap(({ targets }) => targets.map(({ status }) => status));
      expect(new Set(shown)).deep.equal(new Set(['published']));
    });
    it('drafts are allowed with any credential', () => {
      const known = { ...caller, anonymous: false };
      expect(planOf('status=draft', { ...options, caller: known }).status).equal('draft');
    });
  });
});
