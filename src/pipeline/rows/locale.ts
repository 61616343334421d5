import type { LocaleChoice } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { Doc, Match } from '../types.js';
import { ALWAYS } from './combine.js';

/**
 * Matches the entries of a content type in the chosen locales. `parent` is compared via `let`, see
 * `parentRule`.
 */
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

/** The `let` of a `$lookup`, and the match on it in the pipeline. */
export interface ParentRule {
  readonly let: Doc;
  readonly match: Match;
}

/** Compares the locale with the parent's: equal or different. */
export const parentLocale = (comparison: '$eq' | '$ne'): ParentRule => ({
  let: { parentLocale: '$locale' },
  match: { $expr: { [comparison]: ['$locale', '$$parentLocale'] } },
});

/** The rule if each entry's own locale determines the related rows; null if it does not. */
export function parentRule(
  type: ContentType,
  locale: LocaleChoice,
  { localizations }: { readonly localizations: boolean },
): ParentRule | null {
  if (localizations) return parentLocale('$ne');
  return type.localized && locale.kind === 'parent' ? parentLocale('$eq') : null;
}
