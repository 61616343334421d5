import type { LocaleChoice } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import type { Doc, Match } from '../types.js';
import { ALWAYS } from './combine.js';

/** Entries of a content type in the chosen locales. `parent` is matched through `let`, see `parentRule`. */
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

/** `let` of a `$lookup` and what its pipeline then compares. */
export interface ParentRule {
  readonly let: Doc;
  readonly match: Match;
}

/** The locale is the parent's, or any other one. */
export const parentLocale = (comparison: '$eq' | '$ne'): ParentRule => ({
  let: { parentLocale: '$locale' },
  match: { $expr: { [comparison]: ['$locale', '$$parentLocale'] } },
});

/** Where each entry's own locale decides which rows are related; null where they are the same for all. */
export function parentRule(
  type: ContentType,
  locale: LocaleChoice,
  { localizations }: { readonly localizations: boolean },
): ParentRule | null {
  if (localizations) return parentLocale('$ne');
  return type.localized && locale.kind === 'parent' ? parentLocale('$eq') : null;
}
