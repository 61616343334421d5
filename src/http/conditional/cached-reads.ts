import { createHash } from 'node:crypto';
import type { Identity } from '../../access/index.js';
import type { Config } from '../../config/types.js';
import type { AppMiddleware, RequestContext } from '../context.js';
import { entityTag } from './entity-tags.js';

type Settings = Pick<Config['rest'], 'etags' | 'cacheControl'>;
type Context = Parameters<AppMiddleware>[0];

/**
 * `ETag` and `Cache-Control` of reads of content, as `rest.etags` and `rest.cacheControl` say. An answer with the tag
 * that the client has becomes a 304. It must see the body in its last form.
 */
export const cachedReads = (settings: Settings): AppMiddleware => {
  const { etags, cacheControl } = settings;
  if (!etags && Object.keys(cacheControl).length === 0) return (_, next) => next();
  return async (ctx, next) => {
    await next();
    const { read } = ctx.exchange;
    if (!read || (ctx.status !== 200 && ctx.status !== 304)) return;
    ctx.vary('Strapi-Response-Format');
    // The same address has a stream of events.
    ctx.vary('Accept');
    const kept = cacheControlOf(ctx, settings, read.action);
    if (kept !== null) ctx.set('Cache-Control', kept);
    if (etags) setTag(ctx, read);
  };
};

function setTag(ctx: Context, { validator, hasTag }: NonNullable<RequestContext['exchange']['read']>): void {
  const { revision = null, digest = null } = validator ?? {};
  const tag = entityTag(revision, digest ?? digestOf(bytesOf(ctx)));
  ctx.set('ETag', tag);
  if (hasTag?.(tag)) ctx.status = 304;
}

/** The body as it is sent. */
function bytesOf(ctx: Context): Buffer | string {
  const { body } = ctx;
  if (Buffer.isBuffer(body) || typeof body === 'string') return body;
  ctx.body = JSON.stringify(body);
  return String(ctx.body);
}

const digestOf = (body: Buffer | string): string =>
  createHash('sha256').update(body).digest('hex').slice(0, 20);

/** Null: as without these settings. */
function cacheControlOf(ctx: Context, { etags, cacheControl }: Settings, action: string): string | null {
  const { identity } = ctx.exchange;
  if (!identity) return null;
  const rule = cacheControl[action]?.[roleOf(identity)] ?? null;
  const isPublic = identity.kind === 'public' && ctx.get('authorization') === '' && ctx.get('cookie') === '';
  if (isPublic) return rule;
  return rule === null ? (etags ? 'private, no-cache' : null) : asPrivate(rule);
}

const roleOf = (identity: Identity): string =>
  identity.kind === 'user' ? (identity.role ?? '') : identity.kind;

/** What one caller may see is kept by that caller alone. */
const asPrivate = (rule: string): string => {
  const directives = rule.split(',').map((directive) => directive.trim());
  return ['private', ...directives.filter((directive) => !SHARED.test(directive))].join(', ');
};

const SHARED = /^(?:public|private|s-maxage\b.*|proxy-revalidate|)$/i;
