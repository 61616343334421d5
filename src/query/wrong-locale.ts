import { errors } from '../errors.js';
import { shorten } from '../print-value.js';
import { asText } from '../values/as-text.js';
import type { RawValue } from './ast.js';

/** The 400 for a value that is neither a code nor a list of codes. */
export const wrongLocale = (received: RawValue) =>
  errors.validation(
    'strict-locale-invalid',
    `Invalid parameter at 'locale'. Expected a string, array of strings, empty string, null, or undefined; received: ${Array.isArray(received) ? 'array' : typeof received}`,
    { received },
  );

/** The 400 if a single locale is required, in Strapi's words. */
export const notOneLocale = (received: RawValue) =>
  errors.validation(
    'locale-not-a-string',
    `Invalid locale param ${shorten(asText(received))} provided. Document locales must be strings.`,
  );

/** The 400 for text that cannot be a locale code, where it would be stored. */
export const notACode = (received: string) =>
  errors.validation(
    'locale-code-invalid',
    `Invalid locale param ${shorten(received)} provided. It is not a language code.`,
    { key: 'locale', source: 'query' },
  );
