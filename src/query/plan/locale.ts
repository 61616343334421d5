import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import type { ContentType } from '../../schema/types.js';
import type { FilterNode, QueryNode, RawValue } from '../ast.js';
import type { LocaleChoice } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { isAbsent } from '../values.js';
import { readStrictLocale, wrongLocale } from './strict-locale.js';

/**
 * `locale` (rules G.9). Absent or empty: the default locale, unless `filters` chooses locales itself at its root. Lists take
 * `*` and arrays; single entries one locale: `*` matches none, an array is a 400. Ignored on types that are not localized.
 */
export function planLocale(
  { locale: given, filters }: Pick<QueryNode, 'locale' | 'filters'>,
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
  if (!Array.isArray(raw)) throw wrongLocale(raw);
  if (one)
    throw errors.validation(
      'locale-not-a-string',
      `Invalid locale param ${shorten(String(raw))} provided. Document locales must be strings.`,
    );
  const codes = raw.map((code: RawValue) => {
    if (typeof code !== 'string') throw wrongLocale(code);
    return code;
  });
  return codes.includes('*') ? { kind: 'any' } : { kind: 'in', codes };
}

const namesLocale = (filters: FilterNode | null): boolean =>
  filters?.kind === 'all' && filters.of.some((node) => node.kind === 'attribute' && node.name === 'locale');
