import type { Config } from '../../config/types.js';
import type { AppMiddleware } from '../context.js';
import { pageFile } from '../docs/files.js';

const ROOT = '/docs';

/** Scripts and answers of this server alone; the renderer sets styles of its own. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Context = Parameters<AppMiddleware>[0];

const send = async (ctx: Context, name: string): Promise<boolean> => {
  const file = await pageFile(name);
  if (!file) return false;
  ctx.status = 200;
  ctx.set({ ETag: file.etag, 'Cache-Control': 'no-cache', 'Content-Security-Policy': POLICY });
  ctx.vary('Accept-Encoding');
  if (ctx.fresh) {
    ctx.status = 304;
    return true;
  }
  const zipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (zipped) ctx.set('Content-Encoding', 'gzip');
  ctx.type = file.type;
  ctx.body = zipped ? file.gzipped : file.bytes;
  return true;
};

/** Whether the page is served: in production only where it is asked for. */
export const showsDocs = ({ server, environment }: Config): boolean =>
  server.docs ?? environment !== 'production';

/** `GET /docs`: the API as a page to read and to try, generated from `GET /openapi.json`. */
export const docsPage = (config: Config): AppMiddleware => {
  if (!showsDocs(config)) return (_, next) => next();
  return async (ctx, next) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    if (ctx.path === ROOT) {
      await send(ctx, 'index.html');
    } else if (ctx.path === `${ROOT}/`) {
      ctx.redirect(ROOT);
    } else if (ctx.path === `${ROOT}/config.json`) {
      ctx.body = { description: `${config.rest.prefix}/openapi.json` };
    } else if (!(ctx.path.startsWith(`${ROOT}/`) && (await send(ctx, ctx.path.slice(ROOT.length + 1))))) {
      return next();
    }
  };
};
