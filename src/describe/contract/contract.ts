import type { RefusalGroup } from '../../error-codes.js';
import { existingType } from '../../schema/find.js';
import { BUILT_IN } from './built-in/index.js';
import type { BuiltIn } from './built-in/types.js';
import { answered, describeContent, jsonContent } from './content.js';
import { createDescribing, type Describing, flat, freeName } from './describing.js';
import { nameErrors } from './errors.js';
import { inPath } from './parameters.js';
import { HTTP_CODES, refusalsOf } from './refusals.js';
import {
  type Contract,
  type ContractForm,
  type ContractParts,
  type Credential,
  type DescribedRoute,
  type Operation,
  type Parameter,
  type ResponseDescription,
  type RouteDescription,
  WHOLE,
} from './types.js';

const NOTHING: ResponseDescription = { description: 'Done' };

/** A route of which nothing is known except its own description. */
const describeOwn = (
  { method, path }: DescribedRoute,
  tag: string,
  { query = {}, body, answer, ...described }: RouteDescription & Pick<BuiltIn, 'summary'>,
): BuiltIn => ({
  ...described,
  // `GET /articles/:id/like` is `getArticlesIdLike`.
  id: method + path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase()),
  tag,
  parameters: Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
  ...(body === undefined && !BODIES.has(method)
    ? {}
    : { body: { required: false, content: jsonContent(body ?? {}) } }),
  answers: {
    200: answered("The response of the project's code", answer ?? {}),
    ...(answer === undefined ? { 204: NOTHING } : {}),
  },
  groups: ['project', 'one'],
});

const BODIES: ReadonlySet<string> = new Set(['post', 'put', 'patch']);
const FRAME: readonly RefusalGroup[] = ['outer', 'inner'];
const TOKENS: readonly Credential[] = ['apiToken', 'userToken'];

/**
 * The contract of a server, built from its route table and schemas: one operation per route, in the table's
 * order. It contains only what the caller may use.
 */
export function describeContract(parts: ContractParts, form: ContractForm = WHOLE): Contract {
  const describing = createDescribing(parts, form);
  nameErrors(describing);
  const taken = new Set<string>();
  const operations = reachable(parts.routes)
    .filter(({ action, closed }) => closed || action === null || (form.caller.grants?.allows(action) ?? true))
    .map((route) => operationOf(route, parts, describing))
    .map((operation) => {
      const id = freeName(operation.id, taken);
      taken.add(id);
      return { ...operation, id };
    });
  return {
    version: parts.schema.version,
    schemas: describing.schemas(),
    tags: tagsOf(operations, describing),
    operations,
  };
}

/** If several routes have the same path, the first one answers. */
export function reachable<R extends DescribedRoute>(routes: readonly R[]): readonly R[] {
  const seen = new Set<string>();
  return routes.filter(({ method, path }) => {
    const address = `${method} ${path.toLowerCase().replace(/:\w+/g, ':')}`;
    return !seen.has(address) && seen.add(address);
  });
}

/** A path in OpenAPI's notation, with `{documentId}` for `:documentId`. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const paramsIn = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));

/** Adds path parameters that the description lacks, and drops those that the path does not have. */
const withPath = (path: string, parameters: readonly Parameter[]): readonly Parameter[] => {
  const names = paramsIn(path);
  const given = parameters.filter((one) => one.in !== 'path' || names.includes(one.name));
  const others = names.filter((name) => !given.some((one) => one.in === 'path' && one.name === name));
  return [...others.map((name) => inPath(name, { type: 'string' }, `\`${name}\` of the address`)), ...given];
};

function operationOf(route: DescribedRoute, parts: ContractParts, describing: Describing): Operation {
  const { method, path, action, closed, operation } = route;
  const more = detailsOf(route, describing);
  const { frame = FRAME } = more;
  const groups: readonly RefusalGroup[] = closed
    ? [...frame, 'closed']
    : [
        ...frame,
        ...(action === null ? [] : (['guarded'] as const)),
        ...(BODIES.has(method) ? (['body'] as const) : []),
        ...(parts.hasOwnCode && !route.outsidePrefix ? (['policies', 'project', 'one'] as const) : []),
        ...(more.groups ?? []),
      ];
  const content = operation?.kind === 'content' ? operation : null;
  return {
    id: more.id,
    method,
    path: (route.outsidePrefix ? '' : parts.config.rest.prefix) + templateOf(path),
    action,
    tag: more.tag,
    summary: more.summary,
    ...(more.description === undefined ? {} : { description: more.description }),
    ...(content && { uid: content.uid, does: content.action }),
    parameters: withPath(path, closed ? [] : (more.parameters ?? [])),
    ...(more.body && !closed ? { body: more.body } : {}),
    answers: closed ? {} : more.answers,
    refusals: refusalsOf(groups, closed ? [] : more.codes),
    credentials: [...(action === null || more.signedOut ? [] : TOKENS), ...(more.credentials ?? [])],
    anonymous: !more.signedIn,
  };
}

/** The description of a route by its operation. */
function detailsOf(route: DescribedRoute, describing: Describing): BuiltIn {
  const { method, path, operation } = route;
  const summary = `${method.toUpperCase()} ${path}`;
  // A route without a description is still listed, so that one that was forgotten fails a test, not a server.
  const undescribed = (): BuiltIn => describeOwn(route, 'other', { summary });
  switch (operation?.kind) {
    case 'content':
      return describeContent(existingType(describing.schema, operation.uid), operation.action, describing);
    case 'builtIn':
      return BUILT_IN[operation.name]?.(flat(describing)) ?? undescribed();
    case 'own':
      return describeOwn(route, 'project', { summary: 'A route of this project', ...operation.described });
    case 'compat': {
      // Formats of older versions of Strapi are not described further; docs/from-strapi.md documents them.
      const { answers, ...own } = describeOwn(route, 'compat', { summary });
      const created = { description: 'Created', content: answers[200]?.content ?? {} };
      return { ...own, answers: { ...answers, 201: created }, codes: HTTP_CODES };
    }
    default:
      return undescribed();
  }
}

function tagsOf(operations: readonly Operation[], describing: Describing): Contract['tags'] {
  const types = new Map(
    [...describing.schema.contentTypes.values()]
      .filter(({ origin }) => origin === 'api')
      .map((type) => [type.singularName, type.displayName]),
  );
  const names = [...new Set(operations.map(({ tag }) => tag))].sort();
  return names.map((name) => ({ name, description: types.get(name) ?? OTHER_TAGS[name] ?? name }));
}

const OTHER_TAGS: Readonly<Record<string, string>> = {
  batch: 'Several writes at once',
  compat: 'Formats of an older version of Strapi',
  email: 'Email',
  schemas: 'Content types and components',
  auth: 'Registration, sign-in and passwords',
  files: 'Uploaded files',
  locales: 'Locales of content',
  other: 'Other routes',
  project: 'Routes of this project',
  roles: 'Roles and their permissions',
  server: 'The server itself',
  users: 'Accounts',
};
