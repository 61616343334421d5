import { expect } from 'chai';
import { type AdoptedServer, SHOP, startShops, UUID } from './shops.js';

describe('adopted collections: reading', () => {
  let server: AdoptedServer;
  before(async () => {
    server = await startShops();
  });
  after(() => server?.close());

  const id = (n: number): string => SHOP(n).toHexString();
  const data = async (path: string): Promise<unknown> => {
    const answer = await server.get(path);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.at('data');
  };
  const idsOf = async (query: string): Promise<readonly unknown[]> =>
    ((await data(`/api/shops?fields=id&${query}`)) as { id: string }[]).map((row) =>
      Number.parseInt(row.id, 16),
    );

  type Row = Record<string, unknown>;
  const rows = async (path: string): Promise<readonly Row[]> => (await data(path)) as Row[];
  const pluck = (list: unknown, name: string): readonly unknown[] => (list as Row[]).map((row) => row[name]);

  it('returns values by their stored path, with one JSON form for each type', async () => {
    const [alpha, beta, gamma, odd] = await rows('/api/shops');
    expect(alpha).to.deep.equal({
      id: id(1),
      documentId: id(1),
      name: 'Alpha',
      ownId: 7,
      zip: '55425',
      city: 'Rome',
      tags: ['bar', 'music'],
      rating: 5,
      stars: 4.5,
      opened: '2001-02-03T04:05:06.007Z',
      visits: '9007199254740993',
      price: 12.5,
      odd: id(9),
    });
    expect(beta?.['odd']).to.deep.equal({
      bin: 'aGVsbG8=',
      uuid: UUID,
      re: '/(?i)a+/x',
      ts: { t: 5, i: 6 },
      dec: 0.1,
      wide: '1234567890.12345678901234567890',
      long: '9223372036854775807',
      nan: 'NaN',
      at: ['1970-01-01T00:00:00.000Z', null],
    });
    expect([beta?.['rating'], beta?.['stars'], beta?.['zip'], beta?.['tags']]).to.deep.equal([
      'Not yet rated',
      'many',
      20619,
      'alone',
    ]);
    expect([gamma?.['city'], gamma?.['rating'], odd?.['city'], odd?.['name']]).to.deep.equal([
      ['Bonn', 'Bern'],
      null,
      null,
      ['two', 'names'],
    ]);
  });

  it('finds a document by the string form of its _id, whatever its type, and refuses a string that matches two', async () => {
    expect(((await data(`/api/shops/${id(2)}`)) as { name: string }).name).to.equal('Beta');
    expect(((await data('/api/visits/v1')) as { year: number }).year).to.equal(2001);
    expect(((await data(`/api/visits/${id(77)}`)) as { year: number }).year).to.equal(2002);
    const composed = encodeURIComponent('{"a":{"$numberInt":"1"},"b":"x"}');
    expect(((await data(`/api/visits/${composed}`)) as { year: number }).year).to.equal(2005);
    const [time] = await rows('/api/visits?filters[year]=2006');
    expect(time?.['documentId']).to.equal('{"$timestamp":{"t":5,"i":6}}');
    expect(
      ((await data(`/api/visits/${encodeURIComponent(String(time?.['id']))}`)) as { year: number }).year,
    ).to.equal(2006);
    const two = await server.get('/api/visits/3');
    expect([two.status, two.at('error.details.code')]).to.deep.equal([400, 'document-ambiguous']);
    for (const path of ['/api/shops/nothing', `/api/shops/${id(50)}`, '/api/persons/01', '/api/visits/%7Bx'])
      expect((await server.get(path)).status, path).to.equal(404);
  });

  const FILTERS: readonly (readonly [query: string, found: readonly number[]])[] = [
    ['filters[zip]=55425', [1]],
    ['filters[city]=Bern', [3]],
    ['filters[city][$ne]=Rome', [2, 3]],
    ['filters[tags]=music', [1]],
    ['filters[tags][$contains]=lon', [2]],
    ['filters[tags][$null]=true', [3]],
    ['filters[rating]=5', [1]],
    ['filters[rating][$null]=true', [3, 4]],
    ['filters[rating][$containsi]=YET', [2]],
    ['filters[stars][$gt]=4', [1]],
    ['filters[stars][$containsi]=4.', [1]],
    ['filters[opened][$lt]=2019-01-01', [1]],
    ['filters[visits][$gte]=9007199254740993', [1]],
    ['filters[price][$between][0]=1&filters[price][$between][1]=12', [2]],
    [`filters[odd]="${SHOP(9).toHexString()}"`, [1]],
    [`filters[id]=${SHOP(3).toHexString()}`, [3]],
    [`filters[documentId][$gt]=${SHOP(2).toHexString()}`, [3, 4]],
    ['filters[documentId][$endsWith]=4', [4]],
    ['filters[documentId]=none', []],
    ['filters[documentId][$ne]=none', [1, 2, 3, 4]],
    ['filters[items][sku]=b', [1]],
    ['filters[items][amount][$gt]=1', [1]],
    ['filters[items][amount][$containsi]=5', [1]],
    ['filters[items][soldTo][name]=Bob', [1]],
    ['filters[hours][from]=9', [1]],
    ['filters[owner]=2', [2, 4]],
    ['filters[owner][badge]=A-1', [1, 4]],
    ['filters[owner][$null]=true', [3]],
    ['filters[owner][name][$not][$eq]=Ada', [2, 4]],
    ['filters[staff][name]=Ada', [2]],
    ['filters[visitors][person][name]=Ada', [1, 2]],
    ['filters[visitors][year][$null]=true', [3, 4]],
    ['filters[$or][0][name]=Beta&filters[$or][1][owner][name]=Ada', [1, 2, 4]],
    ['_q=oslo', [2]],
  ];
  for (const [query, found] of FILTERS)
    it(`answers ${query}`, async () => {
      expect(await idsOf(`${query}&sort=id`)).to.deep.equal(found);
    });

  const SORTS: readonly (readonly [sort: string, order: readonly number[]])[] = [
    ['id:desc', [4, 3, 2, 1]],
    ['zip:desc', [1, 2, 3, 4]],
    ['stars', [3, 4, 1, 2]],
    ['owner.name:desc', [2, 4, 1, 3]],
    ['items.amount:desc', [1, 2, 3, 4]],
    ['visitors.year:desc', [1, 2, 3, 4]],
  ];
  for (const [sort, order] of SORTS)
    it(`sorts by ${sort}`, async () => {
      expect(await idsOf(`sort=${sort}`)).to.deep.equal(order);
    });

  it('paginates with an exact total', async () => {
    const page = await server.get('/api/shops?pagination[page]=2&pagination[pageSize]=3');
    expect(page.at('meta.pagination')).to.deep.equal({ page: 2, pageSize: 3, pageCount: 2, total: 4 });
    expect((page.at('data') as unknown[]).length).to.equal(1);
  });

  it("populates by any field on either side, along with components and Mangrove's own files", async () => {
    const [alpha, beta, gamma, last] = await rows('/api/shops?populate=*');
    const ADA = { id: '1', documentId: '1', name: 'Ada', badge: 'A-1' };
    expect(alpha?.['owner']).to.deep.equal(ADA);
    expect(pluck(alpha?.['staff'], 'name')).to.deep.equal(['Bob', 'Cyd']);
    expect(pluck(alpha?.['visitors'], 'id')).to.deep.equal(['3', 'v1']);
    expect(alpha?.['items']).to.deep.equal([
      { sku: 'a', amount: 2 },
      { sku: 'b', amount: 5 },
    ]);
    expect(alpha).to.deep.include({ hours: { from: 9, to: 17 }, reviews: [], cover: null });
    // A single document where a list was expected, a list where a single one was, and something that is not a document.
    expect(beta).to.deep.include({ items: [{ sku: 'c', amount: 1 }], hours: { from: 1, to: 2 } });
    expect(pluck(beta?.['staff'], 'name')).to.deep.equal(['Ada']);
    expect(gamma).to.deep.include({ items: [{ sku: 'd', amount: null }], hours: null, owner: null });
    expect(last?.['owner']).to.deep.equal(ADA);
  });

  it('populates the inverse side, nested, filtered, sorted and counted', async () => {
    const query =
      'fields=name&populate[visits][sort]=year:desc&populate[visits][populate][shop][fields]=name&sort=name';
    const [ada] = await rows(`/api/persons?${query}`);
    expect(ada).to.deep.equal({
      id: '1',
      documentId: '1',
      name: 'Ada',
      visits: [
        { id: id(77), documentId: id(77), year: 2002, shop: { id: id(2), documentId: id(2), name: 'Beta' } },
        { id: 'v1', documentId: 'v1', year: 2001, shop: { id: id(1), documentId: id(1), name: 'Alpha' } },
      ],
    });
    const counted = await data('/api/persons?fields=name&populate[visits][count]=true&sort=name');
    expect((counted as { visits: unknown }[]).map(({ visits }) => visits)).to.deep.equal([
      { count: 2 },
      { count: 1 },
      { count: 0 },
    ]);
    const items = 'populate[items][filters][soldTo][name]=Bob&populate[items][populate][soldTo][fields]=name';
    const [alpha] = await rows(`/api/shops?fields=name&${items}`);
    expect(alpha?.['items']).to.deep.equal([
      { sku: 'b', amount: 5, soldTo: { id: '2', documentId: '2', name: 'Bob' } },
    ]);
  });

  it("relates Mangrove's own types to them in both directions", async () => {
    const { documents } = server.project;
    const made = await server.sent('/api/reviews', 'POST', {
      text: 'good',
      shop: id(1),
      also: { connect: ['2', '1'] },
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    await server.sent('/api/reviews', 'POST', { text: 'better', shop: { documentId: id(1) } });
    const [review] = await rows('/api/reviews?populate=*&sort=id');
    expect(review?.['shop']).to.include({ id: id(1), name: 'Alpha' });
    expect(pluck(review?.['also'], 'name')).to.deep.equal(['Bob', 'Ada']);
    const [alpha] = await rows('/api/shops?populate=reviews');
    expect(pluck(alpha?.['reviews'], 'text')).to.deep.equal(['good', 'better']);
    expect(await idsOf('filters[reviews][text]=good')).to.deep.equal([1]);
    expect(((await data('/api/reviews?filters[shop][city]=Rome')) as unknown[]).length).to.equal(2);
    expect(((await data('/api/reviews?filters[also][name]=Ada')) as unknown[]).length).to.equal(1);
    const missing = await server.sent('/api/reviews', 'POST', { shop: id(60) });
    expect([missing.status, missing.at('error.name')]).to.deep.equal([400, 'ValidationError']);
    expect(await documents('api::review.review').count()).to.equal(2);
  });

  it('neither returns nor fetches private fields', async () => {
    const answer = await server.get('/api/shops?filters[secret]=hidden');
    expect([answer.status, answer.at('error.message')]).to.deep.equal([400, 'Invalid key secret']);
    expect(JSON.stringify(await data('/api/shops?populate=*'))).to.not.contain('hidden');
  });

  it('leaves the collections and their indexes unchanged', async () => {
    const { db } = server.project.store;
    for (const name of ['shops', 'people', 'visits'])
      expect(
        (await db.collection(name).indexes()).map((index) => index['name']),
        name,
      ).to.deep.equal(['_id_']);
    for (const [method, path] of [
      ['POST', '/api/shops'],
      ['PUT', `/api/shops/${id(1)}`],
      ['DELETE', `/api/shops/${id(1)}`],
    ] as const) {
      const answer = await server.sent(path, method, { name: 'x' });
      expect([answer.status, answer.headers.get('x-error-code')], method).to.deep.equal([
        403,
        'collection-read-only',
      ]);
    }
  });

  it('explains in one sentence why the stored values cannot answer a query', async () => {
    const both = await server.get('/api/shops?sort=tags,name');
    expect(both.status).to.be.oneOf([200, 400]);
    const search = await server.get('/api/shops?filters[items][amount][$containsi]=x');
    expect(search.status).to.equal(200);
  });
});
