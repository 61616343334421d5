/**
 * What `@refinedev/strapi-v4` sends (its dataProvider.ts, version 7) and reads from the responses, with `rest.compat:
 * 'v4'`.
 */
import { expect } from 'chai';
import qs from 'qs';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Json = Readonly<Record<string, unknown>>;

/** Its `normalizeData`: removes the envelopes of entries at any depth. */
const normalized = (data: unknown): unknown => {
  if (Array.isArray(data)) return data.map(normalized);
  if (typeof data !== 'object' || data === null) return data;
  const inner = 'data' in data ? data.data : data;
  if (Array.isArray(inner)) return inner.map(normalized);
  if (typeof inner !== 'object' || inner === null) return inner;
  const { attributes, ...rest } = inner as { readonly attributes?: object };
  const flat = attributes ? { id: (rest as Json)['id'], ...attributes } : inner;
  return Object.fromEntries(Object.entries(flat).map(([name, value]) => [name, normalized(value)]));
};

describe('requests of @refinedev/strapi-v4', function () {
  this.timeout(180_000);
  let server: TestServer;
  let key: string;

  before(async () => {
    server = await startTestServer({ rest: { compat: 'v4' } });
    key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(() => server?.close());

  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, data: (await response.json()) as { data: Json; meta: Json } };
  };
  const written = { encodeValuesOnly: true } as const;
  const getList = async (query: object, filters = ''): Promise<readonly Json[]> => {
    const page = { 'pagination[page]': 1, 'pagination[pageSize]': 10 };
    const text = qs.stringify({ ...page, ...query }, written);
    const { data } = await send('GET', `restaurants?${text}&${filters}`);
    return normalized(data) as readonly Json[];
  };

  it('create, getList, getOne, getMany, update, deleteOne', async () => {
    const soups = await send('POST', 'categories', { data: { name: 'Soups', position: 1 } });
    const category = soups.data.data['id'];
    const made: unknown[] = [];
    for (const name of ['Ann', 'Bob', 'Cid']) {
      const { data } = await send('POST', 'restaurants', { data: { name, categories: [category] } });
      made.push(data.data['id']);
    }
    const [ann, bob, cid] = made;

    const listed = await getList(
      { sort: 'id:desc', populate: ['categories'] },
      'filters[name][$contains]=n&filters[$or][0][name][$eq]=Ann&filters[$or][1][categories][name][$eq]=Nope',
    );
    expect(listed.map(({ id, name }) => [id, name])).to.eql([[ann, 'Ann']]);
    expect(listed[0]).to.have.nested.property('categories[0].name', 'Soups');

    const one = await send(
      'GET',
      `restaurants/${String(bob)}?${qs.stringify({ populate: ['categories'] }, { encode: false })}`,
    );
    expect(normalized(one.data)).to.deep.include({ id: bob, name: 'Bob' });

    for (const publicationState of [undefined, 'preview']) {
      const query = qs.stringify({ publicationState, 'pagination[pageSize]': 2 }, written);
      const many = await send(
        'GET',
        `restaurants?${query}&filters[id][$in][0]=${String(ann)}&filters[id][$in][1]=${String(cid)}`,
      );
      expect((normalized(many.data) as Json[]).map(({ id }) => id)).to.have.members([ann, cid]);
    }

    const changed = await send('PUT', `restaurants/${String(bob)}`, {
      data: { name: 'Bobby', categories: [category] },
    });
    expect(changed.status).to.equal(200);
    expect(await getList({ populate: '*' }, `filters[id][$eq]=${String(bob)}`)).to.have.nested.property(
      '[0].categories[0].id',
      category,
    );

    expect((await send('DELETE', `restaurants/${String(bob)}`)).status).to.equal(200);
    expect((await getList({ sort: 'name:asc' })).map(({ name }) => name)).to.eql(['Ann', 'Cid']);
    expect((await send('GET', `restaurants/${String(bob)}`)).status).to.equal(404);
  });

  it("a draft's numeric id works in filters and relations", async () => {
    const part = await send('POST', 'restaurants', { data: { name: 'Draft', publishedAt: null } });
    const { id } = part.data.data;
    const found = await getList({ publicationState: 'preview' }, `filters[id][$eq]=${String(id)}`);
    expect(found.map(({ name }) => name)).to.eql(['Draft']);
    const others = await getList({ publicationState: 'preview' }, `filters[id][$ne]=${String(id)}`);
    expect(others.map(({ name }) => name)).to.eql(['Ann', 'Cid']);
  });
});
