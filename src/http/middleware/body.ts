import bodyParser from 'koa-bodyparser';
import type { BodyConfig } from '../../config/types.js';
import { errors } from '../../errors.js';
import { checkNesting } from '../../limits/nesting.js';
import type { AppMiddleware } from '../context.js';

const PARSED_METHODS = new Set(['POST', 'PUT', 'PATCH']);

/** Newer Node versions add `(line 1 column 2)` to the parser's message; Strapi's recorded ones end before it. */
const withoutPlace = (error: Error): Error => {
  error.message = error.message.replace(/ \(line \d+ column \d+\)$/, '');
  return error;
};

/** What zlib says of bytes that are not gzip, deflate or brotli, or break off. */
const isUndecodable = (error: Error): boolean =>
  !('status' in error) && 'code' in error && /^(?:Z_|ERR_)/.test(String(error.code));

/**
 * Reads JSON (`application/json`, any `+json`) and form-encoded bodies into `ctx.request.body`; every other content type is
 * left unread, so a controller that needs `data` says that it is missing (rules A.2). A `__proto__` key is refused by the
 * JSON parser and dropped by the form parser. Whatever was read is held to the depth that can be stored, once for all routes.
 */
export const parseBody = ({
  jsonLimit,
  formLimit,
}: Pick<BodyConfig, 'jsonLimit' | 'formLimit'>): AppMiddleware => {
  const options = {
    enableTypes: ['json', 'form'],
    extendTypes: { json: ['+json'] },
    jsonLimit: String(jsonLimit),
    formLimit: String(formLimit),
    queryString: { allowDots: false, depth: 20, arrayLimit: 100, parameterLimit: 1000 },
    onerror: (error: Error) => {
      if (isUndecodable(error))
        throw errors.validation(
          'body-not-decodable',
          'The body cannot be decoded as its Content-Encoding says',
        );
      throw withoutPlace(error);
    },
  };
  const parse = bodyParser(options);
  return (ctx, next) => {
    if (!PARSED_METHODS.has(ctx.method)) return next();
    return parse(ctx, () => {
      checkNesting(ctx.request.body);
      return next();
    });
  };
};
