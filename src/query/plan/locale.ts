import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import { isAbsent } from '../../values/absent.js';
import type { RawValue } from '../ast.js';
import type { CheckedFilter, CheckedQuery } from '../checked.js';
import type { LocaleChoice } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { notOneLocale, wrongLocale } from '../wrong-locale.js';

/**
 * `locale`. If absent or empty: the default locale, unless `filters` names `locale` at its root. Lists accept
 * `*`, arrays, in which `*` is no locale, and operators (which act as a filter). Single entries accept one code: `*` matches none, an
 * array is a 400. Ignored for types that are not localized.
 */
export function planLocale(
  { locale: given, localeFilter, filters }: Pick<CheckedQuery, 'locale' | 'localeFilter' | 'filters'>,
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
  return { kind: 'in', codes };
}

const namesLocale = (filters: CheckedFilter | null): boolean =>
  filters?.kind === 'all' &&
  filters.of.some((node) => node.kind === 'attribute' && node.attribute.name === 'locale');

const longest = 35;

/** BCP 47 as Strapi checks it: a language of two or three letters, then further subtags. */
const form = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

/**
 * `locale` in strict mode of the Document Service: one well-formed code, `*`, or a list of codes. Empty
 * counts as absent; list members that are empty or not text are ignored.
 */
function readStrictLocale(raw: RawValue): RawValue {
  if (isAbsent(raw) || raw === '') return undefined;
  if (Array.isArray(raw)) {
    const codes = raw.filter((code: RawValue) => typeof code === 'string' && code !== '');
    codes.forEach((code: RawValue, at) => {
      checkCode(code, `locale[${at}]`);
    });
    return codes.length === 0 ? undefined : codes;
  }
  if (typeof raw === 'object') throw wrongLocale(raw);
  checkCode(raw, 'locale');
  return raw;
}

function checkCode(code: RawValue, path: string): void {
  if (code === '*') return;
  if (typeof code !== 'string')
    throw errors.validation(
      'strict-locale-not-a-string',
      `Invalid parameter at '${path}'. Expected a string, received: ${typeof code}`,
      {
        received: code,
      },
    );
  if (code.length > longest)
    throw errors.validation(
      'strict-locale-too-long',
      `Invalid parameter at '${path}'. Locale exceeds maximum length of ${longest} characters.`,
    );
  if (!form.test(code))
    throw errors.validation(
      'strict-locale-malformed',
      `Invalid parameter at '${path}'. Locale must be a valid BCP 47 format (e.g. en, en-US, zh-Hans).`,
    );
}
