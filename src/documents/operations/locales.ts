import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';

/**
 * The locale that create and update write in (rules G.9): the one given, else the default; null for types that are not localized.
 * Throws a 400 for `*` and lists.
 */
export function writeLocale(type: ContentType, locale: unknown, defaultLocale: string): string | null {
  if (!type.localized) return null;
  if (locale === undefined || locale === null || locale === '') return defaultLocale;
  if (typeof locale === 'string' && locale !== '*') return locale;
  throw errors.validation(
    'locale-not-a-string',
    `Invalid locale param ${shorten(String(locale))} provided. Document locales must be strings.`,
  );
}

/** A filter for the locales that delete, publish, unpublish and discardDraft act on: none means the default, `*` all. */
export function localeFilter(type: ContentType, locale: unknown, defaultLocale: string): Entry {
  if (!type.localized || locale === '*') return {};
  if (Array.isArray(locale)) return locale.includes('*') ? {} : { locale: { $in: locale.map(String) } };
  return { locale: typeof locale === 'string' && locale !== '' ? locale : defaultLocale };
}
