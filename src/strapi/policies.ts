import type { Registry } from './registry.js';
import { type Callable, type CodeContext, isCallable, type Values } from './types.js';
import { during } from './under-way.js';

/** A policy of a route with its configuration. */
export type ReadyPolicy = (ctx: CodeContext) => unknown;

/**
 * The context of a policy: a copy of the request's own members (`request`, `response`, `state`, `params`), as in
 * Strapi, and `query`. It lacks the methods that answer: a policy that returns what `ctx.unauthorized()` returns,
 * which is nothing, would let everyone pass.
 */
const policyContext = (ctx: CodeContext): unknown => ({
  is: (name: string) => name === 'koa',
  type: 'koa',
  ...ctx,
  get query() {
    return ctx.query;
  },
  set query(query) {
    ctx.query = query;
  },
});

const isNamed = (entry: unknown): entry is Values & { name: string } =>
  typeof entry === 'object' && entry !== null && 'name' in entry && typeof entry.name === 'string';

/** What runs of what the file of a policy exports; as in Strapi, what exports nothing that runs is listed as well. */
export const handlerIn = (exported: unknown): unknown => {
  const { handler }: Values = Object(exported);
  return isCallable(handler) && !isCallable(exported) ? handler : exported;
};

interface Policy {
  readonly handler: Callable;
  /** Throws for a configuration that the policy cannot have. */
  readonly validator: Callable | null;
}

/** A policy by its name, full or short for one of the route's API. */
function policyOf(registry: Registry, name: string, api: string | null): Policy | null {
  const file = registry.find('policy', name.includes('::') ? name : `${api}.${name}`);
  if (!file) return null;
  const value = registry.value(file.file);
  const handler = handlerIn(value);
  if (!isCallable(handler)) throw new TypeError(`${file.file} does not export a policy`);
  const { validator }: Values = isCallable(value) ? {} : Object(value);
  return { handler, validator: isCallable(validator) ? validator : null };
}

/** `strapi.policy(name)`: what runs. */
export const policyNamed = (registry: Registry, name: string): Callable | null =>
  policyOf(registry, name, null)?.handler ?? null;

/** Makes the policies of a route ready. @throws TypeError if one does not exist, and what their validators throw */
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
    const name = isNamed(entry) ? entry.name : String(entry);
    const policy = isCallable(entry) ? { handler: entry, validator: null } : policyOf(registry, name, api);
    if (policy === null) throw new TypeError(`the policy ${name} does not exist`);
    const { handler, validator } = policy;
    validator?.(isNamed(entry) ? config : {});
    const label = isCallable(entry) ? 'an inline policy' : `the policy ${name}`;
    return (ctx) => during(label, () => handler(policyContext(ctx), config ?? {}, { strapi }));
  });
}
