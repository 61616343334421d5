import type { Ajv2020 as AjvClass } from 'ajv/dist/2020.js';
import type { RouteDescription } from '../describe/contract/types.js';
import type { Schema } from '../schema/types.js';
import { didYouMean } from '../values/nearest.js';
import { packageOnUse } from '../values/on-use.js';
import { isPlainObject } from '../values/plain-object.js';
import { PLACES, type ProjectDefinition } from './types.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ACTION = /^(api|plugin|global)::[^.\s]+\.[^.\s]+\.[^.\s]+$/;
/** The first segment is literal, because routes are looked up by it. */
const PATH = /^\/[\w.~-]+(\/:?[\w.~-]+)*$/;

const MEMBERS: Readonly<
  Record<string, (definition: ProjectDefinition, schema: Schema) => readonly string[]>
> = {
  routes: ({ routes = [] }) =>
    routes.flatMap(({ method, path, action, handler, describe }, at) => [
      ...(METHODS.includes(method) ? [] : [`routes[${at}].method: one of ${METHODS.join(', ')}`]),
      ...(PATH.test(path)
        ? []
        : [
            `routes[${at}].path: a path such as /articles/popular, below the API prefix, not ${JSON.stringify(path)}`,
          ]),
      ...(action === null || ACTION.test(action)
        ? []
        : [
            `routes[${at}].action: an action such as api::article.article.popular, or null to open it to everyone`,
          ]),
      ...needFunction(handler, `routes[${at}].handler`),
      ...(describe === undefined ? [] : descriptionProblems(describe, `routes[${at}].describe`)),
    ]),
  policies: ({ policies = [] }) =>
    policies.flatMap(({ on, check }, at) => [
      ...needFunction(check, `policies[${at}].check`),
      ...([on].flat().every((one) => typeof one === 'string')
        ? []
        : [`policies[${at}].on: actions or paths of routes`]),
    ]),
  documents: ({ documents = [] }, schema) =>
    documents.flatMap(({ run, uids = [] }, at) => [
      ...needFunction(run, `documents[${at}].run`),
      ...uids
        .filter((uid) => !schema.contentTypes.has(uid))
        .map(
          (uid) =>
            `documents[${at}].uids: there is no content type ${uid}${didYouMean(uid, schema.contentTypes.keys())}`,
        ),
    ]),
  jobs: ({ jobs = {} }) =>
    Object.entries(jobs).flatMap(([name, { cron, run }]) => [
      ...needFunction(run, `jobs.${name}.run`),
      ...(typeof cron === 'string' ? [] : [`jobs.${name}.cron: a cron expression`]),
    ]),
  middlewares: ({ middlewares = {} }) =>
    Object.entries(middlewares).flatMap(([place, list]) => [
      ...(PLACES.some((known) => known === place)
        ? []
        : [`middlewares.${place}: the places are ${PLACES.join(', ')}`]),
      ...(Array.isArray(list)
        ? list.flatMap((one, at) => needFunction(one, `middlewares.${place}[${at}]`))
        : [`middlewares.${place}: a list of functions`]),
    ]),
  bootstrap: ({ bootstrap }) => (bootstrap === undefined ? [] : needFunction(bootstrap, 'bootstrap')),
};

const needFunction = (value: unknown, place: string): readonly string[] =>
  typeof value === 'function' ? [] : [`${place}: a function`];

const ajvPackage = packageOnUse<{ readonly Ajv2020: new (options: object) => AjvClass }>('ajv/dist/2020');

/** Otherwise the description of the API would not be valid OpenAPI. */
function descriptionProblems({ query = {}, body, answer }: RouteDescription, place: string): string[] {
  const ajv = new (ajvPackage().Ajv2020)({ strict: false, logger: false });
  const isSchema = (value: unknown): boolean => isPlainObject(value) && ajv.validateSchema(value) === true;
  const wrong = (value: unknown, where: string): string[] =>
    value === undefined || isSchema(value) ? [] : [`${place}.${where}: a JSON Schema`];
  return [
    ...(isPlainObject(query)
      ? Object.entries(query).flatMap(([name, schema]) =>
          isSchema(schema) ? [] : [`${place}.query.${name}: the JSON Schema of the parameter ${name}`],
        )
      : [`${place}.query: an object with a JSON Schema for each parameter, by name`]),
    ...wrong(body, 'body'),
    ...wrong(answer, 'answer'),
  ];
}

const LISTS = ['routes', 'policies', 'documents'];

/** All problems in a definition, by path. */
export function checkDefinition(definition: ProjectDefinition, schema: Schema): readonly string[] {
  return Object.entries(definition).flatMap(([key, value]) => {
    const check = Object.hasOwn(MEMBERS, key) ? MEMBERS[key] : undefined;
    if (!check) return [`${key} is not a key of a project${didYouMean(key, Object.keys(MEMBERS))}`];
    if (value === undefined) return [];
    if (LISTS.includes(key) && !Array.isArray(value)) return [`${key}: a list`];
    if (typeof value !== 'object' && typeof value !== 'function') return [`${key}: not ${typeof value}`];
    return check(definition, schema);
  });
}
