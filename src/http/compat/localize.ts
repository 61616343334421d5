import { errors } from '../../errors.js';
import { statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { objectAt, objectsIn, type PlainObject } from '../../values/plain-object.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { replaceQuery } from './adapt.js';
import { entriesOf } from './rows.js';
import { type Stored, storedFor } from './stored.js';

/**
 * `POST …/localizations`: creates an entry in another locale. Without a date of publication in the body it is published in
 * Strapi 3, and a draft in Strapi 4. In Strapi 5 an update creates it, so it takes the grant of one. Throws a 400, in Strapi 3's and 4's words, for a locale that is missing,
 * unknown or taken.
 */
export function localizing(type: ContentType, update: Route, adapt: (route: Route) => Route): Route {
  const { controller: _, ...route } = update;
  const adapted = adapt({
    ...update,
    controller: async (ctx, identity, deps) => {
      const { locale, ...data } = objectAt(objectAt(ctx.request.body)['data']);
      replaceQuery(ctx, {
        ...ctx.exchange.query.params,
        locale: await freeLocale(ctx, { deps, type, stored: storedFor(deps, identity) }, locale),
      });
      ctx.request.body = { data };
      await update.controller(ctx, identity, deps);
    },
  });
  return {
    ...route,
    method: 'post',
    path: `${update.path}/localizations`,
    controller: async (ctx, identity, deps) => {
      const { compat } = deps.config.rest;
      const sent = objectAt(ctx.request.body);
      ctx.request.body =
        compat === 'v3'
          ? { published_at: new Date().toISOString(), ...sent }
          : { data: { ...sent, publishedAt: sent['publishedAt'] ?? null } };
      // Strapi 3 always populates them.
      replaceQuery(ctx, compat === 'v3' ? {} : { populate: ['localizations'] });
      await adapted.controller(ctx, identity, deps);
      if (compat === 'v4') ctx.body = flat(objectAt(objectAt(ctx.body)['data']));
    },
  };
}

interface Localized {
  readonly deps: AppDeps;
  readonly type: ContentType;
  /** What the caller may see: others are missing. */
  readonly stored: Stored;
}

/** The locale that a body names, if the document has no entry in it. */
async function freeLocale(
  { params }: RequestContext,
  { deps, type, stored }: Localized,
  locale: unknown,
): Promise<string> {
  if (typeof locale !== 'string' || locale === '')
    throw errors.application('locale-missing', 'locale is missing');
  if (!deps.config.plugins.i18n.locales.includes(locale))
    throw errors.application('locale-unknown', 'locale is invalid');
  const { documentId } = params;
  const where = type.kind === 'singleType' ? {} : { documentId };
  const versions = statusesOf(type).map((status) => entriesOf(stored, type, { status, where }));
  const rows = (await Promise.all(versions)).flat();
  if (rows.length === 0) throw errors.notFound();
  if (rows.some((row) => row.locale === locale))
    throw errors.application('locale-taken', 'locale is already used');
  return locale;
}

/** This answer has no `attributes` in Strapi 4. */
function flat({ id, attributes }: PlainObject): PlainObject {
  const { localizations, ...values } = objectAt(attributes);
  const others = objectsIn(objectAt(localizations)['data']);
  return {
    id,
    ...values,
    localizations: others.map((other) => ({ id: other['id'], ...objectAt(other['attributes']) })),
  };
}
