import { reasonOf } from '../values/reason-of.js';
import type { Registry } from './registry.js';
import type { Closing, CodeRoute } from './types.js';

/** What cannot be made of a project's services, controllers and routes, by file; without a database. */
export function problemsOfCode(registry: Registry, strapi: object, routes: readonly CodeRoute[]): Closing[] {
  const problems: Closing[] = registry
    .failures()
    .map(({ file, error }) => ({ file, because: error.message }));
  const attempt = (file: string, make: () => unknown): void => {
    try {
      make();
    } catch (error) {
      const reason = reasonOf(error);
      problems.push({ file, because: reason.includes(file) ? reason : `${file}: ${reason}` });
    }
  };
  for (const kind of ['service', 'controller'] as const)
    for (const { file, uid } of registry.of(kind))
      if (!registry.errorOf(file)) attempt(file, () => registry.instance(kind, uid, strapi));
  for (const route of routes) {
    if (route.closed) problems.push({ ...route.closed });
    else attempt(route.file, () => route.handler());
  }
  return problems;
}
