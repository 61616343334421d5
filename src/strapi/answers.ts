import { STATUS_CODES } from 'node:http';
import { ApiError } from '../errors.js';
import type { Values } from './types.js';
import { fail, Unsupported } from './unsupported.js';

interface Answered {
  status: number;
  body: unknown;
}

/** `Not Found` as `notFound`, `I'm a Teapot` as `imATeapot`. */
const methodName = (name: string): string =>
  name
    .replaceAll("'", '')
    .split(/[^A-Za-z0-9]+/)
    .map((word, at) => (at === 0 ? word.toLowerCase() : word[0]?.toUpperCase() + word.slice(1).toLowerCase()))
    .join('');

/** The name of the error that Strapi gives for a status: `BadRequestError`. */
const errorName = (name: string): string => {
  const joined = name
    .replace(/[^A-Za-z0-9 ]/g, '')
    .replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase());
  return joined.endsWith('Error') ? joined : `${joined}Error`;
};

/** As in Strapi, an error that is passed on keeps its own status: one of `ctx.throw` or of an HTTP client. */
function statusOf(error: Error, otherwise: number): number {
  // Those of Strapi have none.
  if (error instanceof ApiError) return otherwise;
  const { status, statusCode }: Values = Object(error);
  const own = status || statusCode || otherwise;
  return Number.isInteger(own) && Number(own) >= 400 && Number(own) < 600 ? Number(own) : 500;
}

const refusals = Object.entries(STATUS_CODES)
  .filter(([code]) => Number(code) >= 400)
  .map(([code, name = '']): [string, unknown] => [
    methodName(name),
    function (this: Answered, message: unknown = name, details: unknown = {}) {
      const error = message instanceof Error ? message : null;
      const status = error ? statusOf(error, Number(code)) : Number(code);
      const text = error ? error.message : message;
      this.status = status;
      this.body = {
        data: null,
        error: {
          status,
          name: error ? error.name : errorName(name),
          // As in Strapi, an object is no message.
          message: typeof text === 'object' && text !== null ? name : text,
          details,
        },
      };
    },
  ]);

const HELPERS: Values = {
  ...Object.fromEntries(refusals),
  send(this: Answered, body: unknown, status = 200) {
    this.status = status;
    this.body = body;
  },
  created(this: Answered, body: unknown) {
    this.status = 201;
    this.body = body;
  },
  deleted(this: Answered, body: unknown) {
    this.status = body === undefined || body === null ? 204 : 200;
    if (body !== undefined && body !== null) this.body = body;
  },
};

/** Of Koa's app. */
interface App {
  readonly context: object;
  readonly response: object;
  keys?: unknown;
}

/**
 * Makes Koa's app what code written for Strapi expects: `ctx.badRequest('…')`, `ctx.send(body)`, `ctx.created(body)`, …;
 * signed cookies; `ctx.session`, which throws; and null as a body is a 204, also where JSON was before.
 */
export function prepareForCode(app: App, { keys }: { readonly keys: readonly string[] }): void {
  for (const [name, value] of Object.entries(HELPERS))
    Object.defineProperty(app.context, name, { value, writable: true, configurable: true });
  if (keys.length > 0) app.keys = keys;
  Object.defineProperty(app.context, 'session', {
    configurable: true,
    // Undefined would be a session in which nothing is remembered: a policy may let pass whom it should not.
    get: () => fail(new Unsupported('ctx.session')),
    set(this: object, value: unknown) {
      Object.defineProperty(this, 'session', { value, writable: true, configurable: true, enumerable: true });
    },
  });
  const body = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(app.response), 'body');
  Object.defineProperty(app.response, 'body', {
    ...body,
    set(this: { remove(header: string): void }, value: unknown) {
      if (value === null || value === undefined) this.remove('Content-Type');
      body?.set?.call(this, value);
    },
  });
}
