import type { RefusalGroup } from '../../error-codes.js';
import { existingType } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import { BUILT_IN } from './built-in/index.js';
import type { BuiltIn } from './built-in/types.js';
import { answered, type Described, describeContent, json } from './content.js';
import { createDescribing, type Describing, flat, freeName } from './describing.js';
import { nameErrors } from './errors.js';
import { inPath } from './parameters.js';
import { HTTP_CODES, refusalsOf } from './refusals.js';
import {
  type Answer,
  type Contract,
  type ContractParts,
  type Credential,
  type DescribedRoute,
  type Form,
  type Operation,
  type Parameter,
  type RouteDescription,
  WHOLE,
} from './types.js';

const NOTHING: Answer = { description: 'Done, with nothing to say' };

/** Nothing can be said of what code answers, but what it says itself. */
const describeOwn = (described: RouteDescription, method: string): Described => ({
  verb: '',
  summary: described.summary ?? 'A route of this project',
  ...(described.description === undefined ? {} : { description: described.description }),
  parameters: Object.entries(described.query ?? {}).map(([name, schema]) => ({ name, in: 'query', schema })),
  ...(described.body === undefined && !BODIES.has(method)
    ? {}
    : { body: { required: false, content: json(described.body ?? {}) } }),
  answers: {
    200: answered('What its code answers', described.answer ?? {}),
    ...(described.answer === undefined ? { 204: NOTHING } : {}),
  },
  groups: ['project', 'one'],
});

const BODIES: ReadonlySet<string> = new Set(['post', 'put', 'patch']);
const FRAME: readonly RefusalGroup[] = ['outer', 'inner'];
const TOKENS: readonly Credential[] = ['apiToken', 'userToken'];

/**
 * What a server takes and answers, made of its route table and its schemas: one operation a route, in the table's order. A caller is
 * told of what it may call.
 */
export function describeContract(parts: ContractParts, form: Form = WHOLE): Contract {
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

/** Of several routes with one address the first answers. */
function reachable(routes: readonly DescribedRoute[]): readonly DescribedRoute[] {
  const seen = new Set<string>();
  return routes.filter(({ method, path }) => {
    const address = `${method} ${path.toLowerCase().replace(/:\w+/g, ':')}`;
    return !seen.has(address) && seen.add(address);
  });
}

/** `:documentId` as OpenAPI writes it. */
const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const paramsIn = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]));

/** Parameters of the address that the route's own description does not have, and not those that the address does not have. */
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
        ...(parts.hasOwnCode && !route.beside ? (['policies', 'project', 'one'] as const) : []),
        ...(more.groups ?? []),
      ];
  const content = operation?.kind === 'content' ? operation : null;
  return {
    id: more.id,
    method,
    path: (route.beside ? '' : parts.config.rest.prefix) + templateOf(path),
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

type Details = BuiltIn & { readonly description?: string };

/** What is known of a route by what it does. */
function detailsOf({ method, path, operation }: DescribedRoute, describing: Describing): Details {
  switch (operation?.kind) {
    case 'content': {
      const type = existingType(describing.schema, operation.uid);
      return contentDetails(describeContent(type, operation.action, describing), type, describing);
    }
    case 'builtIn': {
      const described = BUILT_IN[operation.name];
      if (!described) throw new TypeError(`${operation.name} is not described`);
      return described(flat(describing));
    }
    case 'own':
      return { ...describeOwn(operation.described, method), id: idOf(method, path), tag: 'project' };
    case 'compat':
      return compatDetails(method, path);
    default:
      return {
        ...describeOwn({}, method),
        id: idOf(method, path),
        tag: 'other',
        summary: `${method.toUpperCase()} ${path}`,
      };
  }
}

/** Forms of an older Strapi are not described any further; docs/from-strapi.md tells of them. */
const compatDetails = (method: string, path: string): Details => {
  const { answers, ...own } = describeOwn({}, method);
  return {
    ...own,
    id: idOf(method, path),
    tag: 'compat',
    summary: `${method.toUpperCase()} ${path}`,
    answers: { ...answers, 201: { description: 'Made', content: answers[200]?.content ?? {} } },
    codes: HTTP_CODES,
  };
};

const contentDetails = (
  { verb, ...described }: Described,
  type: ContentType,
  describing: Describing,
): Details => ({
  ...described,
  id: `${verb}${describing.nameOf(type)}`,
  tag: type.singularName,
});

/** `GET /articles/:id/like` becomes `getArticlesIdLike`. */
const idOf = (method: string, path: string): string =>
  method + path.replace(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase());

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
  compat: 'As an older Strapi answers',
  email: 'Email',
  schemas: 'Content types and components',
  auth: 'Registration, sign-in and passwords',
  files: 'Uploaded files',
  locales: 'Locales of content',
  other: 'Other routes',
  project: 'Routes of this project',
  roles: 'Roles and what they may do',
  server: 'The server itself',
  users: 'Accounts',
};
