import { validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { BUILT_IN } from '../../src/describe/contract/built-in/index.js';
import { typeNames } from '../../src/describe/names.js';
import { allRoutes } from '../../src/http/routes/all.js';
import type { Attribute } from '../../src/schema/types.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
}
interface OperationObject {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security: readonly object[];
  readonly 'x-action'?: string;
}
interface SchemaObject {
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** What two independent validators object to in a document: nothing, if it is OpenAPI 3.1. */
const problemsOf = async (document: object): Promise<unknown> => {
  const copy = (): never => JSON.parse(JSON.stringify(document)) as never;
  const [readme, seriousme] = await Promise.all([validate(copy()), new Validator().validate(copy())]);
  return [...(readme.valid ? [] : readme.errors), ...(seriousme.valid ? [] : [seriousme.errors])];
};

/** Passwords are written, and never returned. */
const isPassword = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' && attribute.type === 'password';

const addressesOf = ({ paths }: Document): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );

describe('GET /api/openapi.json', () => {
  let server: TestServer;
  let token: string;

  before(async function () {
    this.timeout(180_000);
    server = await startTestServer();
    token = (await server.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(() => server?.close());

  const described = async (query = '', sent: Parameters<typeof send>[2] = { token }): Promise<Document> => {
    const { status, body } = await send(server.url, `/api/openapi.json${query}`, sent);
    expect(status).to.equal(200);
    return body as Document;
  };

  for (const [what, query, headers] of [
    ['for ordinary requests', '', {}],
    ['with counts', '?counts=true', {}],
    ['of drafts', '?drafts=true', {}],
    ['in the form of v4', '', { 'Strapi-Response-Format': 'v4' }],
  ] as const)
    it(`is OpenAPI 3.1 according to two validators, ${what}`, async () => {
      expect(await problemsOf(await described(query, { token, headers }))).to.deep.equal([]);
    });

  it('describes exactly the routes of the router', async () => {
    const routes = allRoutes(server.project).map(
      ({ method, path }) => `${method} /api${path.replace(/:(\w+)/g, '{$1}')}`,
    );
    const beside = ['get /_health', 'get /_ready', 'get /uploads/{file}'];
    expect(addressesOf(await described()).sort()).to.deep.equal([...new Set([...routes, ...beside])].sort());
  });

  it('describes what each route of the server does', () => {
    const undescribed = allRoutes(server.project).flatMap(({ method, path, operation }) => {
      if (operation?.kind === 'content') return [];
      return operation?.kind === 'builtIn' && BUILT_IN[operation.name] ? [] : [`${method} ${path}`];
    });
    expect(undescribed, 'described in src/describe/contract/built-in').to.deep.equal([]);
  });

  it('describes to a caller what it may call, and nothing else', async () => {
    const { key } = await server.project.access.tokens.create({
      name: 'one',
      type: 'custom',
      permissions: ['api::article.article.find'],
    });
    const document = await described('', { token: key });
    const guarded = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap((operation) => operation['x-action'] ?? []);
    expect(guarded).to.deep.equal(['api::article.article.find']);
    expect(document.components.schemas).to.not.have.any.keys('Person', 'ArticleInput', 'Category');
    expect(document.components.schemas['Article']?.properties).to.not.have.any.keys('author', 'categories');
    expect(document.components.schemas['ArticleFilters']?.properties).to.not.have.any.keys('author');
  });

  it('shows private attributes to nobody', async () => {
    const { schemas } = (await described()).components;
    const hidden = [...server.project.schema.contentTypes.values()].flatMap(({ uid, attributes }) =>
      [...attributes.values()]
        .filter((one) => one.private && !one.system && !isPassword(one))
        .map(({ name }) => ({ uid, name })),
    );
    expect(hidden.filter(({ uid }) => uid.startsWith('api::'))).to.not.have.length(0);
    const names = typeNames(server.project.schema);
    for (const { uid, name } of hidden)
      for (const suffix of ['', 'Related', 'Input', 'Update', 'Filters', 'SortObject', 'PopulateObject'])
        expect(
          schemas[`${names.get(uid)}${suffix}`]?.properties ?? {},
          `${uid} ${name}`,
        ).to.not.have.property(name);
  });

  it('produces the same output each time', async () => {
    const [one, two] = await Promise.all([described(), described()]);
    expect(JSON.stringify(one)).to.equal(JSON.stringify(two));
  });

  it('refuses an unknown credential', async () => {
    const { status } = await send(server.url, '/api/openapi.json', { token: 'nobody' });
    expect(status).to.equal(401);
  });
});
