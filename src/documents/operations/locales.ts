import { testMatch } from '../../pipeline/filters/operators.js';
import { allMatch, anyMatch, NEVER } from '../../pipeline/rows/combine.js';
import { checkLocale } from '../../query/check.js';
import { parseLocaleFilter } from '../../query/parse/filters.js';
import type { PlanContext } from '../../query/plan/context.js';
import { planFilter } from '../../query/plan/filter.js';
import type { Condition } from '../../query/read-plan.js';
import { querySettings } from '../../query/settings.js';
import { notACode, notOneLocale, wrongLocale } from '../../query/wrong-locale.js';
import type { ContentType } from '../../schema/types.js';
import type { EntryFilter } from '../../store/entries/entries.js';
import type { DocumentCall } from '../call.js';
import type { BuildContext } from '../context.js';
import { FULL_ACCESS } from '../read/script-request.js';

/**
 * A language tag (RFC 5646) or an older code with underscores, limited to the length that Strapi's strict
 * mode accepts.
 */
const CODE = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:[-_@][A-Za-z0-9]{1,8})*$/;

/**
 * The locale that create and update write: the given one, or the default; null for types that are not
 * localized. Throws a 400 for `*`, lists, operators, and text that cannot be a locale code. As in Strapi,
 * codes that are not configured are accepted.
 */
export function writeLocale(type: ContentType, locale: unknown, defaultLocale: string): string | null {
  if (!type.localized) return null;
  if (locale === undefined || locale === null || locale === '') return defaultLocale;
  if (typeof locale !== 'string' || locale === '*') throw notOneLocale(locale);
  if (!CODE.test(locale)) throw notACode(locale);
  return locale;
}

/**
 * A filter for the locales that delete, publish, unpublish, discardDraft and clone act on: the default locale
 * if none is given, all for `*`. Throws a 400 for an object with anything but operators, and for a number or boolean.
 */
function localeFilter(write: BuildContext, locale: unknown): EntryFilter {
  const { type, config } = write;
  if (!type.localized || locale === '*') return {};
  if (Array.isArray(locale)) return locale.includes('*') ? {} : { locale: { $in: locale.map(String) } };
  const { defaultLocale } = config.plugins.i18n;
  if (locale === undefined || locale === null || locale === '') return { locale: defaultLocale };
  if (typeof locale === 'string') return { locale };
  const tested = parseLocaleFilter(locale);
  if (!tested) throw wrongLocale(locale);
  const settings = querySettings(config, 'service');
  const context: PlanContext = {
    schema: write.schema,
    caller: FULL_ACCESS,
    settings,
    entry: type,
    drafts: true,
    status: 'draft',
    moment: null,
    locale: { kind: 'any' },
    publication: null,
    param: 'locale',
  };
  const checked = checkLocale({ locale, localeFilter: tested }, type, context);
  return matchOf(planFilter(checked, type, context));
}

/** The entries of a document in those locales. */
export const documentFilter = (write: BuildContext, { documentId, locale }: DocumentCall): EntryFilter => ({
  documentId,
  ...localeFilter(write, locale),
});

/** The MongoDB filter for a condition on attributes of the entry itself. */
function matchOf(condition: Condition): EntryFilter {
  switch (condition.kind) {
    case 'and':
      return allMatch(condition.of.map(matchOf));
    case 'or':
      return anyMatch(condition.of.map(matchOf));
    case 'test':
      return testMatch(condition.attribute.name, condition.test, false);
    case 'always':
      return {};
    default:
      return NEVER;
  }
}
