/**
 * Every writer of the product: each route of the server's own table that is no GET, and the writing tools of agents. A
 * new route of a content type is in the list without being added; any other must be given a body in `BODIES`.
 */
import { allRoutes } from '../../../src/http/routes/all.js';
import { WRITING } from '../../../src/mcp/writing.js';
import type { Attribute, ContentType, Model, ScalarAttribute } from '../../../src/schema/types.js';
import type { TestServer } from '../test-server.js';
import type { Asking } from './callers.js';
import { type Asks, encode, queriesOf } from './queries.js';
import type { Reading } from './readers.js';

export interface Writing extends Reading {
  readonly method: string;
}

export interface Writer {
  readonly name: string;
  readonly weight: number;
  write(asks: Asks): Writing;
}

const OFTEN = 12;
const JSON_TYPE = { 'content-type': 'application/json' };

/** A body of each built-in route. Names of accounts are new ones: that a name is taken may be told. */
const BODIES: Readonly<Record<string, (asks: Asks) => unknown>> = {
  'POST /auth/local': ({ values, random }) => ({
    identifier: values.of(random, 'username'),
    password: 'wrong',
  }),
  'POST /auth/local/register': () => ({ username: 'x', email: 'no address', password: 'short' }),
  'POST /auth/forgot-password': () => ({ email: 'nobody@example.org' }),
  'POST /auth/reset-password': () => ({ code: 'none', password: 'word', passwordConfirmation: 'word' }),
  'POST /auth/change-password': () => ({ currentPassword: 'no', password: 'a', passwordConfirmation: 'b' }),
  'POST /auth/send-email-confirmation': () => ({ email: 'nobody@example.org' }),
  'POST /auth/refresh': () => ({ refreshToken: 'none' }),
  'POST /auth/logout': () => ({ deviceId: 'none' }),
  'DELETE /auth/sessions/:id': () => undefined,
  'POST /users': () => ({ username: 'new', email: 'new@example.org', password: 'word', role: 1 }),
  'PUT /users/:id': () => ({ username: 'other' }),
  'DELETE /users/:id': () => undefined,
  'POST /users-permissions/roles': () => ({ name: 'New', description: 'new', permissions: {} }),
  'PUT /users-permissions/roles/:id': () => ({ description: 'changed' }),
  'DELETE /users-permissions/roles/:id': () => undefined,
  'POST /upload': () => ({}),
  'DELETE /upload/files/:id': () => undefined,
  'POST /batch': (asks) => {
    const { random, schema, values } = asks;
    const types = [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
    const operation = () => {
      const type = random.pick(types);
      const action = random.pick(['create', 'update', 'delete', 'publish', 'unpublish']);
      const named = action !== 'create' && type.kind !== 'singleType';
      return {
        ...{ action, uid: type.uid },
        ...(named && { documentId: values.documentId(random) }),
        ...(/create|update/.test(action) && { data: dataOf(type, asks) }),
      };
    };
    return {
      operations: Array.from({ length: 1 + random.below(2) }, operation),
      atomic: random.below(2) === 0,
      dryRun: random.below(3) === 0,
    };
  },
  'POST /email': () => ({ to: 'a@example.org', subject: 'a', text: 'b' }),
};

const scalarValue = ({ type, name }: ScalarAttribute, { values, random }: Asks): unknown => {
  const value = values.of(random, name);
  if (random.below(20) === 0) return value;
  if (/integer|decimal|float/.test(type)) return random.below(9);
  if (type === 'boolean') return random.below(2) === 0;
  return type === 'json' ? { a: random.below(4) } : value;
};

function relationValue(many: boolean, { values, random }: Asks): unknown {
  const target = () => (random.below(2) === 0 ? values.documentId(random) : Number(values.id(random)));
  const kind = random.below(4);
  if (kind === 0) return { connect: [target()] };
  if (kind === 1) return { disconnect: [target()] };
  return many ? [target(), target()] : target();
}

function valueFor(attribute: Attribute, asks: Asks): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return scalarValue(attribute, asks);
    case 'relation':
      return attribute.target === null ? null : relationValue(attribute.many, asks);
    case 'component': {
      const component = asks.schema.components.get(attribute.component);
      const item = component ? dataOf(component, asks) : {};
      return attribute.many ? [item] : item;
    }
    default:
      return attribute.kind === 'zone' || asks.random.below(2) === 0 ? [] : 1;
  }
}

/** That a unique value is taken may be told. */
const isAsked = (attribute: Attribute): boolean =>
  attribute.writable && !attribute.system && !(attribute.kind === 'scalar' && attribute.type === 'uid');

function dataOf(model: Model, asks: Asks): Record<string, unknown> {
  const { random } = asks;
  const names = [...model.attributes.values()].filter(isAsked);
  const picked = Array.from({ length: 1 + random.below(3) }, () => random.pick(names));
  return Object.fromEntries(picked.map((attribute) => [attribute.name, valueFor(attribute, asks)]));
}

const filledPath = (path: string, { values, random }: Asks): string =>
  path.replace(/:\w+/g, () => (random.below(15) === 0 ? 'none' : values.documentId(random)));

function queryFor(asks: Asks, type: ContentType): string {
  const { random } = asks;
  const kind = random.below(6);
  if (kind === 0) return 'populate=*';
  if (kind === 1) return `status=${random.pick(['draft', 'published'])}`;
  if (kind === 2) return `locale=${random.pick(['fr', 'en'])}`;
  return kind === 3 ? encode(queriesOf(asks).query(type)) : '';
}

const ofContent = (
  method: string,
  path: string,
  type: ContentType,
  hasBody: boolean,
  weight: number,
): Writer => ({
  name: `${method} ${path}`,
  weight,
  write(asks) {
    const query = queryFor(asks, type);
    return {
      method,
      path: `${filledPath(path, asks)}${query && `?${query}`}`,
      headers: JSON_TYPE,
      ...(hasBody && { body: { data: dataOf(type, asks) } }),
    };
  },
});

const agent = (name: string, asking: Pick<Asking, 'grants'>): Writer => ({
  name: `MCP ${name}`,
  weight: 4,
  write(asks) {
    const { schema, random, values } = asks;
    const types = [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
    const mine = types.filter(({ uid }) => asking.grants.allows(`${uid}.update`));
    const type = random.pick(mine.length > 0 ? mine : types);
    const tool = WRITING.find((one) => one.name === name);
    const given = {
      type: type.uid,
      documentId: type.kind === 'singleType' ? undefined : values.documentId(random),
      data: dataOf(type, asks),
      dryRun: random.below(2) === 0,
    };
    const args = Object.entries(given).filter(([key]) => tool?.takes.includes(key));
    return {
      method: 'POST',
      path: '/mcp',
      headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: Object.fromEntries(args) },
      },
    };
  },
});

/** Throws for a built-in route that has no body here. */
export function writersOf({ project }: TestServer, asking: Pick<Asking, 'grants'>): readonly Writer[] {
  const { schema, config } = project;
  const routes = allRoutes(project)
    .filter(({ method }) => method !== 'get')
    .map(({ method: name, path, action, operation }): Writer => {
      const method = name.toUpperCase();
      const whole = config.rest.prefix + path;
      if (operation?.kind === 'content') {
        const type = schema.contentTypes.get(operation.uid);
        if (!type) throw new Error(operation.uid);
        const hasBody = operation.action === 'create' || operation.action === 'update';
        return ofContent(method, whole, type, hasBody, asking.grants.allows(action ?? '') ? OFTEN : 1);
      }
      const row = `${method} ${path}`;
      const body = BODIES[row];
      if (!body) throw new Error(`${row} writes, and the test of non-interference has no body for it`);
      return {
        name: row,
        weight: row === 'POST /batch' ? OFTEN : 1,
        write: (asks) => ({ method, path: filledPath(whole, asks), headers: JSON_TYPE, body: body(asks) }),
      };
    });
  return [...routes, ...WRITING.map(({ name }) => agent(name, asking))];
}

/** The bodies that belong to no route any more. */
export const unusedBodies = ({ project }: TestServer): readonly string[] => {
  const rows = new Set(allRoutes(project).map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  return Object.keys(BODIES).filter((row) => !rows.has(row));
};

/** Texts that differ between two servers for another reason than what they hold: times, new ids and new keys. */
export function normalized(text: string, isKnown: (id: string) => boolean): string {
  const hour = Date.now() - 3_600_000;
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Date.parse(time) > hour ? '<now>' : time))
    .replace(/\b[a-z0-9]{24}\b/g, (id) => (isKnown(id) ? id : '<new>'))
    .replace(/"[\w-]+\.[\w-]+\.[\w-]{20,}"/g, '"<jwt>"');
}
