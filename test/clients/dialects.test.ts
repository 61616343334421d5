/** How other clients write the same queries: each form, as sent over the wire, and its expected result. */
import { expect } from 'chai';
import type { ConformanceServer } from '../support/conformance-server.js';
import { leaveServer, useServer } from './server.js';

interface Row {
  readonly client: string;
  readonly query: string;
  /** The same query in the plain form of the documentation. */
  readonly plain: string;
}

const HOUR_2020 = Date.UTC(2020, 0, 1);

const rows: readonly Row[] = [
  {
    client: '@strapi/client: encoded keys and values',
    query: 'filters%5Bname%5D%5B%24in%5D%5B0%5D=Taco%20%26%20Co&fields%5B0%5D=name',
    plain: 'filters[name]=Taco+%26+Co&fields=name',
  },
  { client: '@strapi/client: an empty list', query: 'sort%5B%5D', plain: '' },
  {
    client: 'refine: the page as a plain key, one comma-separated sort string',
    query: 'pagination%5Bpage%5D=2&pagination%5BpageSize%5D=3&sort=stars%3Adesc%2Cname%3Aasc',
    plain: 'pagination[page]=2&pagination[pageSize]=3&sort[0]=stars:desc&sort[1]=name:asc',
  },
  {
    client: 'refine: nested $or and $containsi',
    query:
      'filters[$or][0][name][$containsi]=PIZZA&filters[$or][1][owner][firstName][$containsi]=ann&sort=name:asc',
    plain:
      'filters[$or][0][name][$containsi]=pizza&filters[$or][1][owner][firstName][$containsi]=Ann&sort[0]=name',
  },
  {
    client: 'refine: getMany by id, with a parameter of Strapi 4',
    query: 'filters[id][$in][0]=1&filters[id][$in][1]=2&pagination[pageSize]=2&publicationState=live',
    plain: 'filters[id][$in]=1&filters[id][$in]=2&pagination[pageSize]=2',
  },
  {
    client: 'ra-strapi: everything populated, sort order in upper case',
    query: 'populate=*&sort[0]=name:ASC&pagination[page]=1&pagination[pageSize]=10',
    plain: 'populate=*&sort=name:asc&pagination[page]=1&pagination[pageSize]=10',
  },
  {
    client: 'strapi-sdk-js: offset, fields by index',
    query: 'pagination%5Bstart%5D=1&pagination%5Blimit%5D=2&fields%5B0%5D=name&sort%5B0%5D=name%3ADESC',
    plain: 'pagination[start]=1&pagination[limit]=2&fields=name&sort=name:desc',
  },
  {
    client: '@nuxtjs/strapi: unencoded brackets, spaces as +',
    query: 'filters[name][$contains]=Taco+%26+Co&populate[0]=owner&populate[1]=categories',
    plain: 'filters[name][$contains]=Taco%20%26%20Co&populate=owner,categories',
  },
  {
    client: 'gatsby: changes since a time in milliseconds, as a string',
    query: `filters[updatedAt][$gt]=${HOUR_2020}&pagination[page]=1&pagination[pageSize]=100&sort=id`,
    plain:
      'filters[updatedAt][$gt]=2020-01-01T00:00:00.000Z&pagination[page]=1&pagination[pageSize]=100&sort=id',
  },
];

describe('queries of other clients', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  const get = async (path: string): Promise<{ status: number; body: unknown }> => {
    const headers = { Authorization: `Bearer ${server.map.tokens['full']}` };
    const answer = await fetch(`${server.url}/api/${path}`, { headers });
    return { status: answer.status, body: await answer.json() };
  };
  before(async function () {
    // Loading the fixture is slow on some engines.
    this.timeout(300_000);
    server = await useServer();
  });
  after(leaveServer);

  for (const { client, query, plain } of rows)
    it(client, async () => {
      const [actual, expected] = await Promise.all([
        get(`restaurants?${query}`),
        get(`restaurants?${plain}`),
      ]);
      expect(actual.status, JSON.stringify(actual.body)).to.equal(200);
      expect(actual.body).to.deep.equal(expected.body);
      expect((actual.body as { data: unknown[] }).data).not.to.deep.equal([]);
    });

  it('ra-strapi: getMany by documentId, with a total', async () => {
    const ids = Object.values(server.map.docs)
      .slice(0, 60)
      .map(({ documentId }) => documentId);
    const query = ids.map((id, index) => `filters[documentId][$in][${index}]=${id}`).join('&');
    const { body } = await get(`categories?${query}&populate=*`);
    const { data, meta } = body as { data: unknown[]; meta: { pagination: { total: number } } };
    expect(data).not.to.deep.equal([]);
    expect(meta.pagination.total).to.equal(data.length);
  });

  it('gatsby: localizations with their fields', async () => {
    const { status, body } = await get(
      'articles?populate[localizations][fields][0]=locale&pagination[pageSize]=5',
    );
    expect(status).to.equal(200);
    expect(JSON.stringify(body)).to.contain('"localizations":[{');
  });

  it('refine: errors name the field', async () => {
    const answer = await fetch(`${server.url}/api/categories`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.map.tokens['full']}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ data: { name: null } }),
    });
    const body = (await answer.json()) as { error: { details: { errors: { path: string[] }[] } } };
    expect(body.error.details.errors[0]?.path[0]).to.equal('name');
  });

  it('@nuxtjs/strapi: PUT of a single type, sign-in and /users/me', async () => {
    const body = JSON.stringify({ identifier: 'amy', password: server.map.passwords['user.amy'] });
    const headers = { 'Content-Type': 'application/json' };
    const signIn = await fetch(`${server.url}/api/auth/local`, { method: 'POST', headers, body });
    const { jwt } = (await signIn.json()) as { jwt: string };
    const me = await fetch(`${server.url}/api/users/me`, { headers: { Authorization: `Bearer ${jwt}` } });
    expect(await me.json()).to.include({ username: 'amy' });
  });

  it('form-encoded bodies', async () => {
    const answer = await fetch(`${server.url}/api/categories`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${server.map.tokens['full']}` },
      body: new URLSearchParams({ 'data[name]': 'From a form', 'data[position]': '3' }),
    });
    expect(answer.status).to.equal(201);
    expect(await answer.json()).to.have.nested.property('data.position', 3);
  });
});
