/**
 * Every reader of the product: each GET route of the server's own table (the doors of older clients have theirs), what
 * is served beside it, and the reading tools of agents. A new route is in the list without being added.
 */
import { routesOutsidePrefix } from '../../../src/http/contract-parts.js';
import { allRoutes } from '../../../src/http/routes/all.js';
import { READING } from '../../../src/mcp/reading.js';
import { textQuery } from '../../../src/query/query.js';
import { routeOf } from '../../../src/schema/find.js';
import type { ContentType } from '../../../src/schema/types.js';
import { FILE_UID, USER_UID } from '../../../src/schema/uids.js';
import type { TestServer } from '../test-server.js';
import type { Asking } from './callers.js';
import { type Asks, encode, type Pairs, queriesOf } from './queries.js';
import type { Door } from './worlds.js';

export interface Reading {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of a POST. */
  readonly body?: unknown;
}

export interface Reader {
  readonly name: string;
  /** How often it is asked, compared with others. */
  readonly weight: number;
  /** A random request to it. */
  read(asks: Asks): Reading;
}

const V4 = { 'strapi-response-format': 'v4' };
const OFTEN = 24;

/** A value for a parameter of a path, of something that exists in one of the servers or has another meaning. */
function parameter(name: string, { values, random, schema }: Asks): string {
  if (name === 'uid') return random.pick([...schema.contentTypes.keys(), ...schema.components.keys()]);
  if (name === 'provider') return 'github';
  if (name === 'version') return values.of(random, 'version');
  if (name === 'file') return values.of(random, 'url').split('/').at(-1) || 'none';
  const ids = [values.documentId(random), values.id(random)];
  return random.below(12) === 0 ? 'count' : random.pick(ids);
}

function pairsOf(door: Door, type: ContentType | undefined, asks: Asks): Pairs {
  const { query, query3, chance } = queriesOf(asks);
  if (!type || chance(8)) return [];
  if (door === 'v3') return query3(type);
  const pairs = query(type);
  const preview = door === 'v4' && chance(4) ? ([['publicationState', 'preview']] as const) : [];
  return [...pairs, ...preview];
}

const route = (
  door: Door,
  path: string,
  type: ContentType | undefined,
  weight: number,
  prefix: string,
): Reader => ({
  name: `GET ${prefix}${path}`,
  weight,
  read(asks) {
    const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameter(name, asks)));
    const text = encode(pairsOf(door, type, asks));
    const v4 = door === 'native' && asks.random.below(5) === 0;
    return { path: `${prefix}${filled}${text && `?${text}`}`, headers: v4 ? V4 : {} };
  },
});

/** A request for each query that no run may leave out. */
export const certainReadings = (door: Door, { project }: TestServer, asks: Asks): readonly Reading[] =>
  [...project.schema.contentTypes.values()]
    .filter(({ origin }) => origin === 'api')
    .flatMap((type) =>
      [
        ...(door === 'v3'
          ? []
          : queriesOf(asks)
              .certain(type)
              // The v4 door reads as the native one does, and shows it otherwise.
              .filter(() => door === 'native' || asks.random.below(3) === 0)
              .map((pairs) => encode(pairs))
        ).map((query) => `?${query}`),
        ...(door === 'native' ? [] : previews(door, type, asks)),
      ].map((rest) => ({ path: `${project.config.rest.prefix}/${routeOf(type)}${rest}`, headers: {} })),
    );

/** Clients of older versions see one row for the draft and the published entry, of which a rule may hide either. */
function previews(
  door: Door,
  { draftAndPublish, kind }: ContentType,
  { values, random }: Asks,
): readonly string[] {
  if (!draftAndPublish) return [];
  const start = door === 'v3' ? '_' : '';
  const all = `?${start}publicationState=preview`;
  const one = (): string => `/${door === 'v3' ? values.documentId(random) : values.id(random)}${all}`;
  return kind === 'singleType'
    ? [all]
    : [all, `${all}&${start}locale=all`, ...Array.from({ length: 30 }, one)];
}

/** What `/mcp` takes: a call of a tool, or a question about the tools. */
const agent = (method: string, name: string | null): Reader => ({
  name: `MCP ${name ?? method}`,
  weight: name === 'find' || name === 'get' ? OFTEN / 2 : 1,
  read(asks) {
    const { schema, random, values } = asks;
    const type = random.pick([...schema.contentTypes.values()].filter(({ origin }) => origin === 'api'));
    const {
      locale,
      hasPublishedVersion: _,
      ...query
    } = textQuery(encode(queriesOf(asks).query(type))).params;
    const tool = READING.find((one) => one.name === name);
    const given = {
      ...query,
      type: type.uid,
      documentId: type.kind === 'singleType' ? undefined : values.documentId(random),
      ...(typeof locale === 'string' && { locale }),
    };
    const args = Object.entries(given).filter(([key]) => tool?.takes.includes(key));
    const params = name === null ? {} : { name, arguments: Object.fromEntries(args) };
    return {
      path: '/mcp',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method, params },
    };
  },
});

export function readersOf(
  door: Door,
  { project }: TestServer,
  { grants }: Pick<Asking, 'grants'>,
): readonly Reader[] {
  const { schema, config } = project;
  // What the caller may not do is answered alike before anything is read.
  const weightOf = (action: string | null, usual: number): number =>
    action === null || grants.allows(action) ? usual : 1;
  const types = new Map<string, ContentType>();
  for (const type of schema.contentTypes.values()) if (type.origin === 'api') types.set(routeOf(type), type);
  for (const [name, uid] of [
    ['users', USER_UID],
    ['upload', FILE_UID],
  ] as const) {
    const type = schema.contentTypes.get(uid);
    if (type) types.set(name, type);
  }
  const isRead = ({ method }: { readonly method: string }): boolean => method === 'get';
  const routes = allRoutes(project)
    .filter(isRead)
    // One entry hides most of what a query could reveal.
    .map(({ path, action }) => {
      const type = types.get(path.split('/')[1] ?? '');
      const usual = type?.origin === 'api' ? (path.includes(':') ? OFTEN / 4 : OFTEN) : type ? 4 : 1;
      return route(door, path, type, weightOf(action, usual), config.rest.prefix);
    });
  const beside = routesOutsidePrefix(config)
    .filter(({ path }) => path !== '/metrics')
    .map(({ path }) => route(door, path, undefined, 1, ''));
  if (door !== 'native') return [...routes, ...beside];
  const tools = READING.map(({ name }) => agent('tools/call', name));
  return [...routes, ...beside, agent('tools/list', null), ...tools];
}
