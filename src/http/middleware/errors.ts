import { Stream } from 'node:stream';
import type { Context } from 'koa';
import type { Config } from '../../config/types.js';
import type { ErrorCode } from '../../error-codes.js';
import { ApiError, errors } from '../../errors.js';
import type { RecordEvent } from '../../events/events.js';
import { isUnavailable } from '../../store/connection/unavailable.js';
import { codeOf } from '../../values/code-of.js';
import { errorV3, type Refused } from '../compat/v3-errors.js';
import type { AppContext, AppMiddleware } from '../context.js';
import type { AppDeps } from '../deps.js';
import { keepPrivate } from '../keep-private.js';
import { keepHeaders, restoreHeaders } from '../kept-headers.js';

interface ErrorBody {
  readonly data: null;
  readonly error: Readonly<Record<string, unknown>>;
}

/**
 * The status of an error thrown by a library (body parser, CORS) that carries a 4xx `status` or `statusCode`; otherwise
 * null.
 */
const libraryStatus = (error: unknown): number | null => {
  if (!(error instanceof Error)) return null;
  const status: unknown = Reflect.get(error, 'status') ?? Reflect.get(error, 'statusCode');
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null;
};

/** Any other error is a bug: the answer has its request id and no internals. */
const internal = (requestId: string): ErrorBody => ({
  data: null,
  error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error', requestId },
});

/** Errors of the body parser; errors of other libraries count as a malformed request. */
const LIBRARY_CODES: Readonly<Record<string, ErrorCode>> = {
  SyntaxError: 'body-malformed',
  PayloadTooLargeError: 'body-too-large',
};

/** The error code of the answer. */
const errorCode = (error: unknown): ErrorCode => {
  if (error instanceof ApiError) return error.code;
  if (libraryStatus(error) === null || !(error instanceof Error)) return 'internal-error';
  return LIBRARY_CODES[error.name] ?? 'request-malformed';
};

/** The body of the answer. Only an `ApiError` has `details`. */
const errorBody = (error: unknown, requestId: string): ErrorBody => {
  if (error instanceof ApiError) {
    const { status, name, message, details } = error;
    return { data: null, error: { status, name, message, details } };
  }
  const status = libraryStatus(error);
  if (status === null || !(error instanceof Error)) return internal(requestId);
  return { data: null, error: { status, name: error.name, message: error.message } };
};

/** Recorded for a client that has disconnected, as nginx does: nobody reads the answer, and nothing is wrong here. */
const CLIENT_LEFT = 499;

const isAbort = (error: unknown): boolean =>
  error instanceof Error && ['ECONNABORTED', 'ECONNRESET'].includes(String(codeOf(error)));

/** Seconds after which a client may retry: most elections are over by then. */
const RETRY_AFTER = '5';

/** The driver's error if the database is unavailable; otherwise null. */
function awayOf(thrown: unknown): unknown {
  const isKnown = thrown instanceof ApiError && thrown.code === 'database-unavailable';
  const error = isKnown ? (thrown.cause ?? thrown) : thrown;
  return isKnown || isUnavailable(error) ? error : null;
}

const isJson = (body: unknown): body is object =>
  typeof body === 'object' &&
  body !== null &&
  !Buffer.isBuffer(body) &&
  !(body instanceof Stream || body instanceof Blob || body instanceof ReadableStream) &&
  !(body instanceof Response);

/** Koa would do so after the answer was recorded, and answer in its own form if JSON cannot hold the body. */
const toJson = (ctx: Context): void => {
  const body: unknown = ctx.body;
  if (typeof body === 'function' || typeof body === 'symbol') throw new TypeError(`a ${typeof body} as body`);
  if (ctx.respond !== false && isJson(body)) ctx.body = JSON.stringify(body);
};

/** Makes an error the answer, with the headers from before it. */
export function answerWith(ctx: AppContext, error: unknown, compat: Config['rest']['compat']): void {
  const body = errorBody(error, ctx.exchange.requestId);
  restoreHeaders(ctx);
  keepPrivate(ctx);
  ctx.status = Number(body.error['status']);
  ctx.body = compat === 'v3' ? errorV3(body.error as unknown as Refused) : body;
  ctx.set('X-Error-Code', errorCode(error));
  if (ctx.status === 503) ctx.set('Retry-After', RETRY_AFTER);
}

/** Turns errors thrown further down into answers, and records those that are the server's fault. */
export const answerErrors =
  (record: RecordEvent, compat: Config['rest']['compat'] = null): AppMiddleware =>
  async (ctx, next) => {
    keepHeaders(ctx);
    const answer = (thrown: unknown): void => {
      const away = awayOf(thrown);
      const error = away === null ? thrown : errors.unavailable();
      answerWith(ctx, error, compat);
      // An operation of a batch, or an agent's call, has a response of its own on its client's connection.
      if (isAbort(error) && (ctx.res.destroyed || ctx.req.socket.destroyed)) ctx.res.statusCode = CLIENT_LEFT;
      const { requestId: id } = ctx.exchange;
      if (away !== null) record({ name: 'database-unavailable', id, err: away });
      if (ctx.status === 500) record({ name: 'request-failed', id, err: error });
      toJson(ctx);
    };
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined) {
        keepHeaders(ctx);
        throw errors.notFound();
      }
      toJson(ctx);
    } catch (thrown) {
      try {
        answer(thrown);
      } catch {
        // Code of a project may throw what cannot be read, or not be written as JSON.
        answer(new TypeError('an error that cannot be answered'));
      }
    }
  };

/**
 * What is not found is no error to the middlewares of a Strapi project, as in Strapi: they see an answer without a body,
 * which they may still give.
 */
export const missingForCode = ({ code }: Pick<AppDeps, 'code'>): readonly AppMiddleware[] => {
  if (!code.running || code.running.middlewares.length === 0) return [];
  return [
    async (ctx, next) => {
      try {
        await next();
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'not-found')) throw error;
        restoreHeaders(ctx);
        keepPrivate(ctx);
      }
    },
  ];
};
