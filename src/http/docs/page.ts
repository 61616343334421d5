/** The files of the documentation page, and those of its renderer, which the build places next to them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Config } from '../../config/types.js';
import type { AppMiddleware } from '../context.js';

interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const OF_RENDERER = 'swagger-ui-dist';

const compress = promisify(gzip);

/** Before a build, the renderer is where npm installed it. */
const bytesOf = async (name: string): Promise<Buffer> => {
  const asset = new URL(`./assets/${name}`, import.meta.url);
  try {
    return await readFile(asset);
  } catch (error) {
    if (!name.startsWith('swagger-ui')) throw error;
    return readFile(createRequire(import.meta.url).resolve(`${OF_RENDERER}/${name}`));
  }
};

const load = async (name: string, type: string): Promise<PageFile> => {
  const bytes = await bytesOf(name);
  const etag = `"${createHash('sha1').update(bytes).digest('base64url')}"`;
  return { type, etag, bytes, gzipped: await compress(bytes) };
};

const loaded = new Map<string, Promise<PageFile>>();

/** A file of the page, read and compressed on first use; null if there is none with that name. */
function pageFile(name: string): Promise<PageFile> | null {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return null;
  const known = loaded.get(name) ?? load(name, type);
  loaded.set(name, known);
  return known;
}

const ROOT = '/docs';

/** Scripts and requests of this server only; the renderer sets inline styles. */
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

/** Whether the page is served: in production only if it is enabled. */
export const showsDocs = ({ server, environment }: Config): boolean =>
  server.docs ?? environment !== 'production';

/** `GET /docs`: an interactive page for the API, generated from `GET /openapi.json`. */
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
