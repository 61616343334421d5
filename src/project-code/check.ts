import type { Schema } from '../schema/types.js';
import { didYouMean } from '../values/nearest.js';
import { PLACES, type ProjectDefinition } from './types.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ACTION = /^(api|plugin|global)::[^.\s]+\.[^.\s]+\.[^.\s]+$/;
/** The first segment is literal, because routes are looked up by it. */
const PATH = /^\/[\w.~-]+(\/:?[\w.~-]+)*$/;

const MEMBERS: Readonly<
  Record<string, (definition: ProjectDefinition, schema: Schema) => readonly string[]>
> = {
  routes: ({ routes = [] }) =>
    routes.flatMap(({ method, path, action, handler }, at) => [
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
