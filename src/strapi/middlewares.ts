import { isObject } from '../values/plain-object.js';
import type { Registry } from './registry.js';
import { type Callable, type Handler, isCallable, type Next } from './types.js';
import { during } from './under-way.js';

interface Place {
  readonly registry: Registry;
  readonly strapi: object;
  /** `api::article`, for names without a prefix. */
  readonly api: string | null;
  /** What `resolve` names, loaded before. */
  resolved(path: string): unknown;
}

/** The factory of a middleware by its name. */
export function middlewareNamed(registry: Registry, name: string, api: string | null): Callable | null {
  const names = name.includes('::') ? [name] : [`${api}.${name}`, `global::${name}`];
  const file = names.flatMap((uid) => registry.find('middleware', uid) ?? [])[0];
  if (!file) return null;
  const value = registry.value(file.file);
  if (!isCallable(value)) throw new TypeError(`${file.file} does not export a middleware`);
  return value;
}

const pass: Handler = (_, next) => next();

/** Makes one middleware of a route or of config/middlewares ready. @throws TypeError if it does not exist */
export function readyMiddleware(entry: unknown, { registry, strapi, api, resolved }: Place): Handler {
  if (isCallable(entry)) return (ctx, next) => during('an inline middleware', () => entry(ctx, next));
  const { name, resolve, config } = isObject(entry) ? entry : { name: entry, resolve: null, config: {} };
  const factory =
    typeof name === 'string'
      ? middlewareNamed(registry, name, api)
      : typeof resolve === 'string'
        ? resolved(resolve)
        : null;
  if (!isCallable(factory)) throw new TypeError(`the middleware ${String(name ?? resolve)} does not exist`);
  const made = factory(config ?? {}, { strapi });
  if (!isCallable(made)) return pass;
  return (ctx, next) => during(`the middleware ${String(name ?? resolve)}`, () => made(ctx, next));
}

/**
 * Runs handlers around one another, the first outermost; `last` inside them all. What is inside of one runs once, as
 * in Strapi.
 */
export function compose(handlers: readonly Handler[], ctx: object, last: Next): Promise<unknown> {
  let reached = -1;
  const from = async (at: number): Promise<unknown> => {
    if (at <= reached) throw new Error('next() called multiple times');
    reached = at;
    const handler = handlers[at];
    return handler ? handler(ctx as Parameters<Handler>[0], () => from(at + 1)) : last();
  };
  return from(0);
}
