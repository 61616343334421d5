import type { AppMiddleware, RequestContext } from './context.js';
import type { AppDeps } from './deps.js';
import { hasMiddlewares } from './own-routes.js';

type Answer = Pick<RequestContext, 'response' | 'exchange'>;

/** Whether the project's code may look at the answer before it is sent. */
export const isShownToCode = ({ exchange }: Pick<RequestContext, 'exchange'>, deps: AppDeps): boolean =>
  exchange.isShown === true || hasMiddlewares(deps);

/**
 * Lets code read the body, which is JSON as bytes, as objects, or replace it: it is parsed when code reads it, and the
 * objects are sent then. Bytes that no code asks for are sent as they are.
 */
export function showAsObjects({ response, exchange }: Answer, json: Buffer): void {
  const open = (): void => {
    Reflect.deleteProperty(response, 'body');
    // Koa keeps the length of the bytes for some bodies that replace them.
    response.remove('Content-Length');
    // What code makes of the body is not known, so its digest does not describe it.
    const { read } = exchange;
    if (read?.validator) read.validator = { ...read.validator, digest: null };
  };
  response.body = json;
  Object.defineProperty(response, 'body', {
    configurable: true,
    get() {
      open();
      response.body = JSON.parse(json.toString());
      return response.body;
    },
    set(body: unknown) {
      open();
      response.body = body;
    },
  });
}

/** Whether the body is bytes that code could ask for as objects. */
export const isBytes = ({ response }: Pick<Answer, 'response'>): boolean => Object.hasOwn(response, 'body');

/** What is outside of this middleware sees the body as it is. */
export const bytesAsTheyAre = (): AppMiddleware => async (ctx, next) => {
  try {
    await next();
  } finally {
    Reflect.deleteProperty(ctx.response, 'body');
  }
};
