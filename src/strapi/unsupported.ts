import { AsyncLocalStorage } from 'node:async_hooks';
import type { CodeContext } from './types.js';

/** Thrown where a project's code uses a part of Strapi that Mangrove does not have. */
export class Unsupported extends Error {
  override readonly name = 'NotImplementedError';
  readonly code = 'strapi-api-unsupported';

  /** @param what such as `strapi.db.connection` */
  constructor(
    readonly what: string,
    reason = 'is not supported by Mangrove',
  ) {
    super(`${what} ${reason}`);
  }
}

/** The request whose code runs. */
export interface Running {
  readonly ctx: CodeContext;
  /** What it asked for in vain: also if it caught the error. */
  unsupported: Unsupported | null;
  /** The parts of the code that run, in the order in which they began. */
  readonly underWay: Set<{ readonly name: string }>;
  /** Whether the end of its time is recorded. */
  isTimed: boolean;
}

export const running = new AsyncLocalStorage<Running>();

/** @param path below `strapi`, or of a package: `@strapi/utils.yup` @throws Unsupported */
export const refuse = (path: string): never =>
  fail(new Unsupported(path.startsWith('@') ? path : `strapi.${path}`));

/** Throws the error, and notes it for the request whose code is running. */
export function fail(error: Unsupported): never {
  const request = running.getStore();
  if (request) request.unsupported ??= error;
  throw error;
}

/** What is asked of any object by the language and by those who print it, not by a project's code. */
const ASKED_BY_ALL: ReadonlySet<string> = new Set(['then', 'toJSON', 'constructor', 'inspect']);

/** What may be imported, and throws when it is used: files import more than they use. @param path see `refuse` */
export const refusedOnUse = (path: string): unknown =>
  new Proxy(() => undefined, {
    get: (target, name) =>
      typeof name === 'symbol' || ASKED_BY_ALL.has(name) ? Reflect.get(target, name) : refuse(path),
    apply: () => refuse(path),
    construct: () => refuse(path),
  });

/**
 * An object of Strapi's API: its members, and the names that throw unless `otherwise` has them. Any other name is one
 * that Strapi does not have either; code may add its own.
 */
export function withRefused<T extends object>(
  path: string,
  members: T,
  refused: ReadonlySet<string> | 'all',
  otherwise: (name: string) => unknown = () => undefined,
): T {
  const isRefused = (name: string): boolean =>
    refused === 'all' ? !ASKED_BY_ALL.has(name) : refused.has(name);
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  return new Proxy(members, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name, receiver);
      return isRefused(name) ? (otherwise(name) ?? refuse(at(name))) : undefined;
    },
  });
}
