/** Clients written for older versions of Strapi against a server with `rest.compat`. */
import { expect } from 'chai';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Json = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

for (const compat of ['v3', 'v4'] as const)
  describe(`rest.compat: ${compat}`, function () {
    this.timeout(180_000);
    let server: TestServer;
    let key: string;
    let chef: string;
    let dishes: readonly Json[];

    const ask = async (method: string, path: string, data?: object): Promise<Answer> => {
      const response = await fetch(`${server.url}${server.project.config.rest.prefix}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(data && { body: JSON.stringify(data) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: response.status, body: isJson ? JSON.parse(text) : text };
    };
    const entry = ({ body }: Answer): Json =>
      compat === 'v4' ? (body as { data: Json }).data : (body as Json);

    before(async () => {
      server = await startTestServer({
        rest: { compat },
        roles: { public: ['api::restaurant.restaurant.findOne'] },
      });
      key = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
      const { documents } = server.project;
      const category = await documents('api::category.category').create({
        data: { name: 'Soups', position: 2 },
      });
      chef = String(category['documentId']);
      const make = (name: string, status: 'draft' | 'published') =>
        documents('api::restaurant.restaurant').create({ data: { name, categories: [chef] }, status });
      dishes = [await make('Ann', 'published'), await make('Bob', 'published'), await make('Cid', 'draft')];
    });
    after(() => server?.close());

    if (compat === 'v4') {
      const idOf = async (name: string): Promise<unknown> => {
        const { body } = await ask('GET', `/restaurants?filters[name][$eq]=${name}&publicationState=preview`);
        return (body as { data: readonly Json[] }).data[0]?.['id'];
      };

      it('lists entries with attributes, published only or including drafts', async () => {
        const names = async (query: string): Promise<unknown> => {
          const { body } = await ask('GET', `/restaurants?sort=name&fields=name${query}`);
          return (body as { data: readonly { attributes: Json }[] }).data.map(({ attributes }) => attributes);
        };
        expect(await names('')).to.eql([{ name: 'Ann' }, { name: 'Bob' }]);
        expect(await names('&publicationState=preview')).to.eql([
          { name: 'Ann' },
          { name: 'Bob' },
          { name: 'Cid' },
        ]);
      });

      it('finds an entry by its numeric id, including drafts', async () => {
        const live = await ask('GET', `/restaurants/${await idOf('Ann')}?populate=categories`);
        expect(live.status).to.equal(200);
        expect(entry(live)).to.have.nested.property('attributes.categories.data[0].attributes.name', 'Soups');
        expect(entry(live)).to.not.have.property('documentId');
        expect((await ask('GET', `/restaurants/${await idOf('Cid')}`)).status).to.equal(200);
        expect((await ask('GET', '/restaurants/99999')).status).to.equal(404);
      });

      it('returns a draft under the id of its published version', async () => {
        const { body } = await ask('GET', '/restaurants?filters[name][$eq]=Ann');
        expect(await idOf('Ann')).to.equal((body as { data: readonly Json[] }).data[0]?.['id']);
      });

      it('finds drafts by their null publishedAt, and treats a bare * as true', async () => {
        const { body } = await ask(
          'GET',
          '/restaurants?publicationState=preview&filters[publishedAt][$null]=true&populate[categories]=*',
        );
        const [only, ...more] = (body as { data: readonly { attributes: Json }[] }).data;
        expect(more).to.eql([]);
        expect(only).to.have.nested.property('attributes.name', 'Cid');
        expect(only).to.have.nested.property('attributes.categories.data[0].attributes.name', 'Soups');
      });

      it('does not tell callers without credentials of a draft', async () => {
        const draft = await idOf('Cid');
        const status = async (id: unknown): Promise<number> =>
          (await fetch(`${server.url}/api/restaurants/${String(id)}`)).status;
        expect(await status(draft)).to.equal(404);
        expect(await status(await idOf('Bob'))).to.equal(200);
        expect(await status(999_999)).to.equal(404);
        expect((await ask('GET', `/restaurants/${String(draft)}`)).status).to.equal(200);
        // Nor of the number that the draft of a published entry has.
        const drafts = server.project.documents('api::restaurant.restaurant');
        const bob = await drafts.findFirst({ filters: { name: 'Bob' }, status: 'draft' });
        expect(bob?.['id'])
          .to.be.a('number')
          .and.not.equal(await idOf('Bob'));
        expect(await status(bob?.['id'])).to.equal(404);
        expect((await ask('GET', `/restaurants/${String(bob?.['id'])}`)).status).to.equal(200);
      });

      it('creates, updates and deletes, and answers 200 with the entry', async () => {
        const made = await ask('POST', '/categories', { data: { name: 'Made', position: 1 } });
        expect(made.status).to.equal(200);
        const { id } = entry(made);
        const changed = await ask('PUT', `/categories/${String(id)}`, { data: { position: 5 } });
        expect(entry(changed)).to.deep.include({ id });
        expect(entry(changed)).to.have.nested.property('attributes.position', 5);
        const gone = await ask('DELETE', `/categories/${String(id)}`);
        expect(gone.status).to.equal(200);
        expect(entry(gone)).to.have.nested.property('attributes.name', 'Made');
        expect((await ask('GET', `/categories/${String(id)}`)).status).to.equal(404);
      });
    } else {
      it('lists flat entries under their old ids, with their relations', async () => {
        const { body } = await ask('GET', '/restaurants?_sort=name:DESC&_limit=1');
        const [bob] = body as readonly Json[];
        expect(bob).to.include({
          name: 'Bob',
          id: dishes[1]?.['documentId'],
          _id: dishes[1]?.['documentId'],
        });
        expect(bob).to.have.nested.property('categories[0].name', 'Soups');
        expect(bob).to.have.property('published_at').that.is.a('string');
      });

      const found: readonly (readonly [query: string, names: readonly string[]])[] = [
        ['name_contains=a', ['Ann']],
        ['name_in=Bob&name_in=Ann', ['Ann', 'Bob']],
        ['name_ne=Bob', ['Ann']],
        ['stars_ne=3', ['Ann', 'Bob']],
        ['categories.name=Soups&name_null=false', ['Ann', 'Bob']],
        ['_where[_or][0][name]=Ann&_where[_or][1][name_containss]=ob', ['Ann', 'Bob']],
        ['_publicationState=preview', ['Ann', 'Bob', 'Cid']],
        ['_start=1', ['Bob']],
        ['_q=ann', ['Ann']],
      ];
      for (const [query, names] of found)
        it(query, async () => {
          const { body } = await ask('GET', `/restaurants?_sort=name&${query}`);
          expect((body as readonly Json[]).map(({ name }) => name)).to.eql(names);
        });

      it('counts entries', async () => {
        expect(await ask('GET', '/restaurants/count?name_contains=n')).to.eql({ status: 200, body: 1 });
      });

      it('reads, creates, updates and deletes by the old id', async () => {
        const made = await ask('POST', '/categories', { name: 'Made', position: 1 });
        expect(made.status).to.equal(200);
        const { id } = entry(made);
        expect(entry(await ask('PUT', `/categories/${String(id)}`, { position: 5 }))).to.include({
          id,
          position: 5,
        });
        expect(entry(await ask('GET', `/categories/${String(id)}`))).to.include({ name: 'Made' });
        expect(entry(await ask('DELETE', `/categories/${String(id)}`))).to.include({ id });
        expect(await ask('GET', `/categories/${String(id)}`)).to.eql({ status: 404, body: 'Not Found' });
      });
    }
  });
