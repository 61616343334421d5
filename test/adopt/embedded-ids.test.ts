/** The `_id` of an embedded document, as written by Meteor and Mongoose. */
import { expect } from 'chai';
import type { Entry } from '../../src/store/entries/changes.js';
import { type AdoptedServer, relation, SHOP, startAdopted } from './shops.js';

const adopted = (name: string, attributes: object): object => ({
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  pluginOptions: { mangrove: { storage: { collection: `${name}s`, write: true } } },
  attributes,
});
const part = (fields: object, attributes: object): object => ({
  pluginOptions: { mangrove: { storage: { fields } } },
  attributes,
});
const FILES = {
  'person/schema.json': adopted('person', { name: { type: 'string' } }),
  'message/schema.json': adopted('message', {
    text: { type: 'string' },
    u: { type: 'component', component: 'message.u' },
    file: { type: 'component', component: 'message.file' },
  }),
  'components/message/u.json': part(
    { person: '_id' },
    { person: relation('oneToOne', 'person'), username: { type: 'string' } },
  ),
  'components/message/file.json': part(
    { ownId: '_id' },
    { ownId: { type: 'string' }, size: { type: 'integer' } },
  ),
};

describe('the _id of an embedded document', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startAdopted(FILES, {
      persons: [1, 2].map((n) => ({ _id: SHOP(n), name: ['Ada', 'Bob'][n - 1] })),
      messages: [1, 2].map((n) => ({
        _id: SHOP(100 + n),
        text: `M ${n}`,
        u: { _id: SHOP(n), username: `u${n}` },
        file: { _id: SHOP(200 + n), size: n },
      })),
    });
  });
  after(() => server?.close());

  const texts = async (query: string): Promise<unknown[]> => {
    const answer = await server.get(`/api/messages?${query}`);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return (answer.at('data') as Entry[]).map(({ text }) => text);
  };

  it('is shown and populated', async () => {
    const answer = await server.get(
      '/api/messages?sort=text&populate[u][populate]=person&populate[file]=true',
    );
    const [first] = answer.at('data') as Entry[];
    expect(first?.['u']).to.deep.nested.include({ username: 'u1', 'person.name': 'Ada' });
    expect(first?.['file']).to.deep.equal({ ownId: SHOP(201).toHexString(), size: 1 });
  });

  it('can be filtered and sorted by', async () => {
    expect(await texts('filters[u][person][name]=Bob')).to.deep.equal(['M 2']);
    expect(await texts(`filters[file][ownId]=${SHOP(201).toHexString()}`)).to.deep.equal(['M 1']);
    expect(await texts('sort=u.person.name:desc')).to.deep.equal(['M 2', 'M 1']);
  });

  it('is written in its stored type', async () => {
    const at = `/api/messages/${SHOP(101).toHexString()}`;
    const answer = await server.sent(at, 'PUT', { u: { person: SHOP(2).toHexString(), username: 'u2' } });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const stored = await server.project.store.db.collection('messages').findOne({ text: 'M 1' });
    expect(JSON.parse(JSON.stringify(stored?.['u']))).to.deep.equal({
      _id: SHOP(2).toHexString(),
      username: 'u2',
    });
    expect(stored?.['u']._id).to.have.property('_bsontype', 'ObjectId');
    expect(JSON.stringify(stored?.['file']._id)).to.equal(JSON.stringify(SHOP(201)));
  });
});
