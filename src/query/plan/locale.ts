import type { ContentType } from '../../schema/types.js';
import type { FilterNode, QueryNode, RawValue } from '../ast.js';
import type { LocaleChoice } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { isAbsent } from '../values.js';
import { notOneLocale, wrongLocale } from '../wrong-locale.js';
import { readStrictLocale } from './strict-locale.js';

/**
 * `locale` (rules G.9). Absent or empty: the default locale, unless `filters` chooses locales itself at its root. Lists take
 * `*`, arrays and operators, which are a filter; single entries one locale: `*` matches none, an array is a 400. Ignored on types that are not localized.
 */
export function planLocale(
  { locale: given, localeFilter, filters }: Pick<QueryNode, 'locale' | 'localeFilter' | 'filters'>,
  type: ContentType,
  one: boolean,
  settings: QuerySettings,
): LocaleChoice {
  const raw = settings.strictValues ? readStrictLocale(given) : given;
  if (!type.localized) return { kind: 'none' };
  if (isAbsent(raw) || raw === '')
    return namesLocale(filters) ? { kind: 'any' } : { kind: 'one', code: settings.defaultLocale };
  if (raw === '*' && !one) return { kind: 'any' };
  if (typeof raw === 'string') return { kind: 'one', code: raw };
  if (!Array.isArray(raw) && !localeFilter) throw wrongLocale(raw);
  if (one) throw notOneLocale(raw);
  if (!Array.isArray(raw)) return { kind: 'any' };
  const codes = raw.map((code: RawValue) => {
    if (typeof code !== 'string') throw wrongLocale(code);
    return code;
  });
  return codes.includes('*') ? { kind: 'any' } : { kind: 'in', codes };
}

const namesLocale = (filters: FilterNode | null): boolean =>
  filters?.kind === 'all' && filters.of.some((node) => node.kind === 'attribute' && node.name === 'locale');
