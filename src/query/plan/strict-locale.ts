import { errors } from '../../errors.js';
import type { RawValue } from '../ast.js';
import { isAbsent } from '../values.js';
import { wrongLocale } from '../wrong-locale.js';

const longest = 35;

/** BCP 47, as Strapi reads it: a language of two or three letters and further parts. */
const form = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;

/**
 * `locale` where the parameters of the Document Service are strict: one code, `*` or a list of codes, each well formed. What
 * is empty counts as absent, and members of a list that are empty or no text are passed over.
 */
export function readStrictLocale(raw: RawValue): RawValue {
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
