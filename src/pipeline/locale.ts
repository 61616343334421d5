import type { LocaleChoice } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { ALWAYS } from './combine.js';
import type { Doc, Match } from './types.js';

/** Entries of a content type in the chosen locales. `parent` is matched through `let`, see `localeOfParent`. */
export function localeMatch(type: ContentType, locale: LocaleChoice): Match {
  if (!type.localized) return ALWAYS;
  switch (locale.kind) {
    case 'one':
      return { locale: { $eq: locale.code } };
    case 'in':
      return { locale: { $in: locale.codes } };
    case 'none':
    case 'any':
    case 'parent':
      return ALWAYS;
  }
}

/** Whether only the parent entry tells which locale to look up. */
export const followsParent = (type: ContentType, locale: LocaleChoice): boolean =>
  type.localized && locale.kind === 'parent';

/** `let` of a `$lookup` and what its pipeline then compares: the locale is the parent's, or any other one. */
export const parentLocale = (comparison: '$eq' | '$ne'): { readonly let: Doc; readonly match: Match } => ({
  let: { parentLocale: '$locale' },
  match: { $expr: { [comparison]: ['$locale', '$$parentLocale'] } },
});
