import type * as KoaBodyParser from '@koa/bodyparser';
import type { Context } from 'koa';
import qs from 'qs';
import type { BodyConfig } from '../../config/types.js';
import { errors } from '../../errors.js';
import { createGate, type Gate, runThrough } from '../../limits/gate.js';
import { checkNesting } from '../../limits/nesting.js';
import { yieldToEventLoop } from '../../limits/yield.js';
import { codeOf } from '../../values/code-of.js';
import { packageOnUse } from '../../values/on-use.js';
import { reasonOf } from '../../values/reason-of.js';
import type { AppMiddleware } from '../context.js';
import { isForTools } from '../tools-path.js';

const koaBodyParser = packageOnUse<typeof KoaBodyParser>('@koa/bodyparser');
export const PARSED_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

const FORM_TYPES = ['application/x-www-form-urlencoded'];
const TEXT_TYPES = ['text/*'];
const JSON_TYPES = [
  'application/json',
  'application/json-patch+json',
  'application/vnd.api+json',
  'application/csp-report',
  'application/scim+json',
  '+json',
];

/** Bodies of more characters than this take turns, as does the work that follows. */
const LONG = 32_000;
/** The number of requests with long bodies that are processed at once, and that may wait. */
const LONG_AT_ONCE = { atOnce: 2, maxWaiting: 1000 };
/**
 * The same for messages to the tools for agents, whatever their length: a few bytes may ask for a large answer.
 * A query may be among them, so that those of one client do not stand in the way of all others.
 */
const MESSAGES_AT_ONCE = { atOnce: 4, perClient: 2, maxWaiting: 1000 };

/** zlib's errors for data that is not gzip, deflate or brotli, or is truncated. */
const isUndecodable = (error: Error): boolean =>
  !('status' in error) && /^(?:Z_|ERR_)/.test(String(codeOf(error)));

/** How the names of a form's fields are read as paths. */
export const QUERY_STRING = { allowDots: false, depth: 20, arrayLimit: 100, parameterLimit: 1000 };

function refuseUnread(error: Error, ctx: Context): never {
  // Drains the rest of the body: otherwise it would precede the next request on this connection, possibly
  // of another caller.
  ctx.req.unpipe();
  ctx.req.resume();
  if (!isUndecodable(error)) throw error;
  throw errors.validation('body-not-decodable', 'The body does not match its Content-Encoding');
}

/**
 * `@koa/bodyparser`, which leaves bodies of these types in `ctx.request.body` as text (decoded, and at most
 * `textLimit` long), and `{}` for other types.
 */
const textReader = (types: string[], textLimit: string): AppMiddleware => {
  let read: AppMiddleware | undefined;
  return (ctx, next) => {
    read ??= koaBodyParser().bodyParser({
      enableTypes: ['text'],
      extendTypes: { text: types },
      textLimit,
      onError: refuseUnread,
    });
    return read(ctx, next);
  };
};

/** Bodies of some types, and how they are read and parsed. */
interface BodyKind {
  readonly types: string[];
  readonly read: AppMiddleware;
  readonly parse: (text: string) => unknown;
}

/**
 * Reads JSON (`application/json`, any `+json`) and form-encoded bodies into `ctx.request.body`; for code of a Strapi
 * project (`isForCode`), also texts, and `{}` where there is none. Bodies of other types are not read, so a controller
 * that needs `data` reports it as missing. A `__proto__` key is rejected in JSON and dropped by the form parser. The nesting of every body is limited here to what can be
 * stored.
 */
export const parseBody = (
  { jsonLimit, formLimit, textLimit }: Omit<BodyConfig, 'maxFileSize'>,
  isForCode: boolean,
): AppMiddleware => {
  const long = createGate(LONG_AT_ONCE);
  const messages = createGate(MESSAGES_AT_ONCE);
  const gateOf = (path: string, body: unknown): Gate | null => {
    if (isForTools(path)) return messages;
    return typeof body === 'string' && body.length >= LONG ? long : null;
  };
  const kinds: readonly BodyKind[] = [
    { types: JSON_TYPES, read: textReader(JSON_TYPES, String(jsonLimit)), parse: parseJsonText },
    {
      types: FORM_TYPES,
      read: textReader(FORM_TYPES, String(formLimit)),
      parse: (text) => qs.parse(text, QUERY_STRING),
    },
    ...(isForCode
      ? [
          {
            types: TEXT_TYPES,
            read: textReader(TEXT_TYPES, String(textLimit)),
            parse: (text: string) => text,
          },
        ]
      : []),
  ];
  return (ctx, next) => {
    if (!PARSED_METHODS.has(ctx.method)) {
      if (isForCode) ctx.request.body ??= {};
      return next();
    }
    const kind = kinds.find(({ types }) => ctx.request.is(types));
    if (!kind) {
      ctx.request.body = {};
      return next();
    }
    return kind.read(ctx, async () => {
      const { body } = ctx.request;
      const parseAndGo = (): Promise<void> => {
        // What a middleware of the project has parsed before is left as it is.
        if (typeof body === 'string') ctx.request.body = kind.parse(body);
        checkNesting(ctx.request.body);
        return next();
      };
      const gate = gateOf(ctx.path, body);
      if (!gate) return parseAndGo();
      return runThrough(
        gate,
        async () => {
          await yieldToEventLoop();
          await parseAndGo();
        },
        ctx.exchange.budget,
      );
    });
  };
};

/** Anything but an object or list is rejected before it is parsed. */
const CONTAINER = /^[ \t\n\r]*[[{]/;

/** Matches text that may contain the key, in any escaped form. */
const SUSPECT = /__proto__|\\u00/i;

const refused = (message: string): Error => Object.assign(new SyntaxError(message), { status: 400 });

/**
 * Newer versions of Node.js append `(line 1 column 2)` to the parser's message; the messages recorded from
 * Strapi do not have it.
 */
const withoutPlace = (message: string): string => message.replace(/ \(line \d+ column \d+\)$/, '');

/** Uses an explicit stack, so that no nesting can overflow the call stack. */
const holdsForbidden = (root: object): boolean => {
  const stack: object[] = [root];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (Object.hasOwn(top, '__proto__')) return true;
    for (const member of Object.values(top))
      if (typeof member === 'object' && member !== null) stack.push(member);
  }
  return false;
};

const parse = (text: string): object => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(withoutPlace(reasonOf(error)));
  }
};

/**
 * The object or list in a JSON text, parsed by the rules and with the messages of Strapi's parser (co-body,
 * @hapi/bourne); `{}` if empty. Throws a 400 for anything else, and for keys that would change a prototype.
 */
function parseJsonText(text: string): object {
  if (text === '') return {};
  if (!CONTAINER.test(text)) throw refused('invalid JSON, only supports object and array');
  const value = parse(text);
  if (SUSPECT.test(text) && holdsForbidden(value))
    throw refused('Object contains forbidden prototype property');
  return value;
}
