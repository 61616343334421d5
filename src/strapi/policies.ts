import type { Registry } from './registry.js';
import { type Callable, type CodeContext, isCallable, type Values } from './types.js';

/** A policy of a route with its configuration. */
export type ReadyPolicy = (ctx: CodeContext) => unknown;

/** The context of a policy: that of the request, which says that it is one. */
const policyContext = (ctx: CodeContext): unknown =>
  Object.create(ctx, {
    type: { value: 'koa' },
    is: { value: (name: string) => name === 'koa' },
  });

const isNamed = (entry: unknown): entry is Values & { name: string } =>
  typeof entry === 'object' && entry !== null && 'name' in entry && typeof entry.name === 'string';

/** A policy by its name, full or short for one of the route's API. */
export function policyNamed(registry: Registry, name: string, api: string | null): Callable | null {
  const names = name.includes('::') ? [name] : [`${api}.${name}`, `global::${name}`];
  for (const uid of names) {
    const file = registry.find('policy', uid);
    if (!file) continue;
    const value = registry.value(file.file);
    if (isCallable(value)) return value;
    const handler: unknown = Object(value).handler;
    if (isCallable(handler)) return handler;
    throw new TypeError(`${file.file} does not export a policy`);
  }
  return null;
}

/** Makes the policies of a route ready. @throws TypeError if one does not exist */
export function readyPolicies(
  declared: unknown,
  {
    registry,
    strapi,
    api,
  }: { readonly registry: Registry; readonly strapi: object; readonly api: string | null },
): readonly ReadyPolicy[] {
  if (declared === undefined || declared === null) return [];
  if (!Array.isArray(declared)) throw new TypeError('policies: a list');
  return declared.map((entry: unknown): ReadyPolicy => {
    const config: unknown = isNamed(entry) ? entry['config'] : undefined;
    const policy = isCallable(entry)
      ? entry
      : policyNamed(registry, isNamed(entry) ? entry.name : String(entry), api);
    if (policy === null)
      throw new TypeError(`the policy ${isNamed(entry) ? entry.name : String(entry)} does not exist`);
    return (ctx) => policy(policyContext(ctx), config ?? {}, { strapi });
  });
}
