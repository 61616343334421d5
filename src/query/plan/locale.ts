import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { FilterNode, RawValue } from '../ast.js';
import type { LocaleChoice } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { isAbsent } from '../values.js';

const longest = 35;

/**
 * `locale` (SPEC G.9). Absent or empty: the default locale, unless `filters` chooses locales itself at its root. Lists take
 * `*` and arrays; single entries one locale: `*` matches none, an array is a 400. Ignored on types that are not localized.
 */
export function planLocale(
  raw: RawValue,
  type: ContentType,
  one: boolean,
  filters: FilterNode | null,
  settings: QuerySettings,
): LocaleChoice {
  if (settings.strictValues) checkStrictly(raw);
  if (!type.localized) return { kind: 'none' };
  if (isAbsent(raw) || raw === '')
    return namesLocale(filters) ? { kind: 'any' } : { kind: 'one', code: settings.defaultLocale };
  if (raw === '*' && !one) return { kind: 'any' };
  if (typeof raw === 'string') return { kind: 'one', code: raw };
  if (!Array.isArray(raw)) throw wrongForm(raw);
  if (one)
    throw errors.validation(
      `Invalid locale param ${String(raw)} provided. Document locales must be strings.`,
    );
  const codes = raw.map((code: RawValue) => {
    if (typeof code !== 'string') throw wrongForm(code);
    return code;
  });
  return codes.includes('*') ? { kind: 'any' } : { kind: 'in', codes };
}

const namesLocale = (filters: FilterNode | null): boolean =>
  filters?.kind === 'all' && filters.of.some((node) => node.kind === 'attribute' && node.name === 'locale');

function checkStrictly(raw: RawValue): void {
  const codes: readonly RawValue[] = Array.isArray(raw) ? raw : [raw];
  for (const code of codes) {
    if (isAbsent(code)) continue;
    if (typeof code !== 'string') throw wrongForm(raw);
    if (code.length > longest)
      throw errors.validation(
        `Invalid parameter at 'locale'. Locale exceeds maximum length of ${longest} characters.`,
      );
  }
}

const wrongForm = (received: RawValue) =>
  errors.validation(
    `Invalid parameter at 'locale'. Expected a string, array of strings, empty string, null, or undefined; received: ${Array.isArray(received) ? 'array' : typeof received}`,
    { received },
  );
