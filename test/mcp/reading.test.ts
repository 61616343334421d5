/** Tools that read, over HTTP, called by the SDK's own client: the results, errors and descriptions match REST. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect } from 'chai';
import fc from 'fast-check';
import qs from 'qs';
import { parseQueryText } from '../../src/query/parse.js';
import { anyQueryText, rightQueryText } from '../support/arbitrary-query.js';
import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';
import { rounds } from '../support/rounds.js';
import { send } from '../support/send.js';
import { at, connect, use } from './client.js';

const RESTAURANT = 'api::restaurant.restaurant';
const RUNS = rounds(10, 60);
const READING = ['list_types', 'describe_type', 'find', 'get'];
const WRITING = ['create', 'update', 'publish', 'unpublish', 'discard_draft', 'delete'];

const ARGUMENTS = [
  'filters',
  'sort',
  'pagination',
  '_q',
  'fields',
  'populate',
  'status',
  'publicationFilter',
  'locale',
];

describe('tools that read', function () {
  this.timeout(120_000 + RUNS * 100);
  let server: ConformanceServer;
  let key: string;
  let narrow: string;
  let client: Client;
  let narrowClient: Client;

  before(async () => {
    server = await startConformanceServer('default', 0, { server: { mcp: true } });
    const { tokens } = server.project.access;
    key = (await tokens.create({ name: 'all', type: 'full-access' })).key;
    // No tool publishes, so the second type is of no use to an agent.
    const permissions = [`${RESTAURANT}.find`, 'api::article.article.publish'];
    narrow = (await tokens.create({ name: 'narrow', type: 'custom', permissions })).key;
    client = await connect(server.url, key);
    narrowClient = await connect(server.url, narrow);
  });
  after(async () => {
    await client.close();
    await narrowClient.close();
    await server.close();
  });

  const namesOf = async (of: Client): Promise<string[]> =>
    (await of.listTools()).tools.map(({ name }) => name);
  const rest = (path: string, query: object, token: string | undefined = key) =>
    send(server.url, `/api/${path}?${qs.stringify(query, { encodeValuesOnly: true })}`, { token });

  it('are listed with the types that each caller may use them on', async () => {
    expect(await namesOf(client)).to.deep.equal([...READING, ...WRITING]);
    expect(await namesOf(narrowClient)).to.deep.equal(['list_types', 'describe_type', 'find']);
    const stranger = await connect(server.url);
    expect(await namesOf(stranger)).to.deep.equal(server.project.access.roles ? await namesOf(stranger) : []);
    await stranger.close();
    const { tools } = await narrowClient.listTools();
    for (const { name, inputSchema } of tools)
      if (name !== 'list_types')
        expect(at(inputSchema, 'properties.type.enum'), name).to.deep.equal([RESTAURANT]);
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).to.deep.equal([true, true, true]);
  });

  it('accept what the API description says they do', async () => {
    const { paths } = (await send(server.url, '/api/openapi.json', { token: key })).body as {
      paths: Record<string, { get: { parameters: { name: string }[] } }>;
    };
    const described = (paths['/api/restaurants']?.get.parameters ?? []).map(({ name }) => name);
    const find = (await client.listTools()).tools.find(({ name }) => name === 'find');
    const taken = Object.entries(find?.inputSchema.properties ?? {}).flatMap(([name, schema]) =>
      name === 'pagination'
        ? Object.keys(at(schema, 'properties') as object).map((member) => `pagination[${member}]`)
        : [name],
    );
    // Tools read what is there now.
    const elsewhere = ['at', 'hasPublishedVersion', 'locale', 'type'];
    const sorted = (names: readonly string[]) => names.filter((name) => !elsewhere.includes(name)).sort();
    expect(sorted(taken)).to.deep.equal(sorted(described));
  });

  it('list the types that exist, with their tools', async () => {
    const { body } = await use(narrowClient, 'list_types');
    expect(at(body, 'types')).to.deep.equal([
      {
        type: RESTAURANT,
        name: 'restaurant',
        kind: 'collectionType',
        draftAndPublish: true,
        localized: false,
        tools: ['find'],
      },
    ]);
    const all = (await use(client, 'list_types')).body;
    const types = [...server.project.schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
    expect((at(all, 'types') as object[]).length).to.equal(types.length);
    expect(at(all, 'locales')).to.deep.equal({ default: 'en', all: ['en', 'fr', 'de'] });
  });

  it('describe each type as OpenAPI does, and nothing that the caller may not see', async () => {
    for (const [of, token] of [
      [client, key],
      [narrowClient, narrow],
    ] as const) {
      const openapi = (await send(server.url, '/api/openapi.json', { token })).body;
      const { body } = await use(of, 'list_types');
      for (const { type } of at(body, 'types') as { type: string }[]) {
        const described = (
          await use(of, 'describe_type', { type, parts: ['answer', 'create', 'update', 'query'] })
        ).body;
        const schemas = at(described, 'components.schemas') as object;
        expect(Object.keys(schemas).length, type).to.be.above(3);
        const text = JSON.stringify(described);
        for (const [name, schema] of Object.entries(schemas))
          expect(at(openapi, `components.schemas`), name).to.have.deep.property(name, schema);
        // Each reference leads somewhere: into the result, or to a type with a description of its own.
        for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g))
          expect({ ...schemas, ...(at(described, 'otherTypes') as object) }, type).to.have.property(name);
      }
    }
    expect(
      JSON.stringify((await use(narrowClient, 'describe_type', { type: RESTAURANT })).body),
    ).to.not.match(/"owner"|"categories"|"geohash"/);
    const hidden = await use(narrowClient, 'describe_type', { type: 'api::person.person' });
    expect([hidden.isError, at(hidden.body, 'error.status')]).to.deep.equal([true, 403]);
  });

  const QUERIES: readonly object[] = [
    {},
    { filters: { stars: { $gte: 2 } }, sort: ['name:asc'], pagination: { page: 1, pageSize: 3 } },
    { filters: { owner: { firstName: { $notNull: true } } }, populate: { owner: { fields: ['firstName'] } } },
    { filters: { $or: [{ stars: { $in: [1, 2] } }, { $not: { open: true } }] }, populate: '*' },
    { populate: ['menu', 'categories.restaurants'], fields: ['name'], sort: 'id:desc' },
    {
      populate: { blocks: { on: { 'blocks.hero': { populate: '*' } } } },
      pagination: { start: 1, limit: 2 },
    },
    { status: 'draft', pagination: { withCount: false } },
    { publicationFilter: 'modified', status: 'draft' },
    { _q: 'garden', sort: [{ name: 'desc' }, 'id'] },
    { _q: '__proto__', fields: ['id'] },
  ];
  for (const query of QUERIES)
    it(`find returns what GET does: ${JSON.stringify(query)}`, async () => {
      const result = await use(client, 'find', { type: RESTAURANT, ...query });
      const { status, body } = await rest('restaurants', query);
      expect([status, result.isError]).to.deep.equal([200, false]);
      expect(result.body).to.deep.equal(body);
      expect(result.structured).to.deep.equal(body);
    });

  it('find accepts what no query string can express: null, and empty lists', async () => {
    const total = async (filters: object): Promise<unknown> =>
      at((await use(client, 'find', { type: RESTAURANT, filters })).body, 'meta.pagination.total');
    expect(await total({ price: null })).to.equal(await total({ price: { $null: true } }));
    expect(await total({ price: null })).to.not.equal(0);
    expect(await total({ stars: { $in: [] } })).to.equal(0);
  });

  it('find succeeds and fails as REST does, whatever the query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(rightQueryText, anyQueryText), fc.boolean(), async (text, isNarrow) => {
        const params = Object.fromEntries(
          Object.entries(readable(text)).filter(([name]) => ARGUMENTS.includes(name)),
        );
        const only = qs.stringify(params);
        // Parameters whose text has a meaning of its own.
        const query = readable(only);
        const [of, token] = isNarrow ? ([narrowClient, narrow] as const) : ([client, key] as const);
        const result = await use(of, 'find', { type: RESTAURANT, ...query });
        const { status, body, headers } = await send(server.url, `/api/restaurants?${only}`, { token });
        expect(result.isError).to.equal(status !== 200);
        const code = headers.get('x-error-code');
        expect(result.body).to.deep.equal(code === null ? body : { ...(body as object), code });
      }),
      { numRuns: RUNS },
    );
  });

  const readable = (text: string): Record<string, unknown> => {
    try {
      return JSON.parse(JSON.stringify(parseQueryText(text)));
    } catch {
      return {};
    }
  };

  it('get returns what GET does, for documents and single types', async () => {
    const { body } = await rest('restaurants', { pagination: { limit: 1 } });
    const documentId = String(at(body, 'data.0.documentId'));
    const one = await use(client, 'get', { type: RESTAURANT, documentId, populate: '*' });
    expect(one.body).to.deep.equal((await rest(`restaurants/${documentId}`, { populate: '*' })).body);
    const single = await use(client, 'get', { type: 'api::homepage.homepage', fields: ['title'] });
    expect(single.body).to.deep.equal((await rest('homepage', { fields: ['title'] })).body);
    const localized = await use(client, 'get', { type: 'api::about.about', locale: 'fr' });
    const { status } = await rest('about', { locale: 'fr' });
    expect(localized.isError).to.equal(status !== 200);
  });

  it('fail as the route does, with its body and its code', async () => {
    const cases: readonly (readonly [string, object, string, number, string])[] = [
      ['find', { type: 'api::person.person' }, 'people', 403, 'forbidden'],
      ['get', { type: RESTAURANT, documentId: 'x' }, 'restaurants/x', 403, 'forbidden'],
      ['find', { type: RESTAURANT, filters: { owner: { id: 1 } } }, '', 400, 'key-invalid'],
      ['find', { type: RESTAURANT, populate: 'nope' }, '', 400, 'key-invalid'],
      ['find', { type: RESTAURANT, pagination: { page: 1, start: 1 } }, '', 400, 'pagination-mixed'],
      ['find', { type: RESTAURANT, sort: 'nope' }, '', 400, 'key-invalid'],
    ];
    for (const [tool, args, path, status, code] of cases) {
      const { type: _, documentId: __, ...query } = args as Record<string, unknown>;
      const result = await use(narrowClient, tool, args as Record<string, unknown>);
      const { body } = await rest(path || 'restaurants', query, narrow);
      expect(result.isError).to.equal(true);
      expect(result.body, JSON.stringify(args)).to.deep.equal({ ...(body as object), code });
      expect(at(result.body, 'error.status')).to.equal(status);
    }
    const wrong: readonly (readonly [string, object, string])[] = [
      ['find', { type: 'api::nope.nope' }, 'content-type-unknown'],
      ['find', { type: 'plugin::users-permissions.user' }, 'content-type-unknown'],
      ['find', {}, 'content-type-unknown'],
      ['find', { type: RESTAURANT, filter: {} }, 'key-invalid'],
      ['get', { type: RESTAURANT }, 'document-id-not-a-string'],
      ['get', { type: RESTAURANT, documentId: '' }, 'document-id-not-a-string'],
      ['get', { type: RESTAURANT, documentId: '../articles' }, 'not-found'],
      ['describe_type', { type: RESTAURANT, parts: ['all'] }, 'key-invalid'],
    ];
    for (const [tool, args, code] of wrong)
      expect(
        (await use(client, tool, args as Record<string, unknown>)).body,
        JSON.stringify(args),
      ).to.have.property('code', code);
    const unknown = await client.callTool({ name: 'drop', arguments: {} }).catch((error: unknown) => error);
    expect(String(unknown)).to.match(/-32602.*Unknown tool: drop/);
  });

  it('serve clients with different grants at the same time', async () => {
    const calls = Array.from({ length: 20 }, (_, i) =>
      use(i % 2 === 0 ? client : narrowClient, 'find', {
        type: RESTAURANT,
        filters: { owner: { id: { $gt: 0 } } },
      }),
    );
    expect((await Promise.all(calls)).map(({ isError }) => isError)).to.deep.equal(
      Array.from({ length: 20 }, (_, i) => i % 2 === 1),
    );
  });
});
