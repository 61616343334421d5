import bodyParser from 'koa-bodyparser';
import type { BodyConfig } from '../../config/types.js';
import { errors } from '../../errors.js';
import { createGate, within } from '../../limits/gate.js';
import { checkNesting } from '../../limits/nesting.js';
import { nextTurn } from '../../limits/turns.js';
import type { AppMiddleware } from '../context.js';
import { parseJsonText } from './json-text.js';

const PARSED_METHODS = new Set(['POST', 'PUT', 'PATCH']);

const JSON_TYPES = [
  'application/json',
  'application/json-patch+json',
  'application/vnd.api+json',
  'application/csp-report',
  'application/scim+json',
  '+json',
];

/** Characters from which a body takes turns with others, and so does the work that it causes. */
const LONG = 32_000;
/** Requests with long bodies that are worked on at the same time, and that may wait. */
const LONG_AT_ONCE = { atOnce: 2, maxWaiting: 1000 };

/** What zlib says of bytes that are not gzip, deflate or brotli, or break off. */
const isUndecodable = (error: Error): boolean =>
  !('status' in error) && 'code' in error && /^(?:Z_|ERR_)/.test(String(error.code));

/**
 * Reads JSON (`application/json`, any `+json`) and form-encoded bodies into `ctx.request.body`; every other content type is
 * left unread, so a controller that needs `data` says that it is missing (rules A.2). A `__proto__` key is refused in JSON and
 * dropped by the form parser. Whatever was read is held to the depth that can be stored, once for all routes.
 */
export const parseBody = ({
  jsonLimit,
  formLimit,
}: Pick<BodyConfig, 'jsonLimit' | 'formLimit'>): AppMiddleware => {
  const options = {
    // JSON is received as text, so that long ones can wait for each other before they are parsed.
    enableTypes: ['text', 'form'],
    extendTypes: { text: JSON_TYPES },
    textLimit: String(jsonLimit),
    formLimit: String(formLimit),
    queryString: { allowDots: false, depth: 20, arrayLimit: 100, parameterLimit: 1000 },
    onerror: (error: Error) => {
      if (!isUndecodable(error)) throw error;
      throw errors.validation(
        'body-not-decodable',
        'The body cannot be decoded as its Content-Encoding says',
      );
    },
  };
  const receive = bodyParser(options);
  const long = createGate(LONG_AT_ONCE);
  return (ctx, next) => {
    if (!PARSED_METHODS.has(ctx.method)) return next();
    const go = (): Promise<void> => {
      checkNesting(ctx.request.body);
      return next();
    };
    return receive(ctx, () => {
      const { body } = ctx.request;
      if (typeof body !== 'string') return go();
      // Text of another kind is none of ours.
      const text = ctx.request.is(JSON_TYPES) ? body : '';
      const parseAndGo = async (): Promise<void> => {
        ctx.request.body = parseJsonText(text);
        await go();
      };
      if (text.length < LONG) return parseAndGo();
      return within(
        long,
        async () => {
          await nextTurn();
          await parseAndGo();
        },
        ctx.state.budget,
      );
    });
  };
};
