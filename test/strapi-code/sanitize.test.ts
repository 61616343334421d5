/** What callers may see of the entries that a project's code answers with. */
import { expect } from 'chai';
import { compileGrants } from '../../src/access/identity/grants.js';
import { sanitizeOutput } from '../../src/strapi/sanitize.js';
import { schemaOf, typeFile } from '../support/schemas.js';

const schema = schemaOf(
  typeFile('note', {
    title: { type: 'string' },
    secret: { type: 'string', private: true },
    about: { type: 'relation', relation: 'morphToMany' },
    first: { type: 'relation', relation: 'morphToOne' },
  }),
  typeFile('seen', { name: { type: 'string' }, hidden: { type: 'string', private: true } }),
  typeFile('unseen', { name: { type: 'string' } }),
);

describe('sanitizeOutput', () => {
  const caller = { grants: compileGrants(['api::note.note.find', 'api::seen.seen.find']) };
  const note = schema.contentTypes.get('api::note.note');
  const of = (type: string, name: string) => ({ __type: `api::${type}.${type}`, name, hidden: 'h' });
  const shown = (data: object): unknown =>
    note && sanitizeOutput(data, note, { schema, caller, componentIds: true });

  it('leaves out private attributes, and keeps what code has added', () => {
    expect(shown({ title: 't', secret: 's', added: 1 })).to.eql({ title: 't', added: 1 });
  });

  it('leaves out what a polymorphic relation leads to, of types that the caller may not find', () => {
    expect(shown({ about: [of('seen', 'a'), of('unseen', 'b')] })).to.eql({
      about: [{ __type: 'api::seen.seen', name: 'a' }],
    });
    expect(shown({ first: of('unseen', 'b') })).to.eql({ first: null });
  });
});
