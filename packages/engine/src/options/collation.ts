import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Collation } from '../values/collation.js';
import { shellText } from '../values/shell-text.js';
import { compileFields } from './read-fields.js';

const read = compileFields(
  {
    locale: { type: 'string', required: true },
    caseLevel: 'bool',
    caseFirst: { type: 'string', oneOf: ['upper', 'lower', 'off'] },
    strength: 'int',
    numericOrdering: 'bool',
    alternate: { type: 'string', oneOf: ['non-ignorable', 'shifted'] },
    maxVariable: { type: 'string', oneOf: ['punct', 'space'] },
    normalization: 'bool',
    backwards: 'strict bool',
    version: 'string',
  },
  { context: 'collation' },
);

/** The version of the ordering rules that MongoDB 5.0 to 7.0 name. */
const RULES_VERSION = '57.1';

/** Language-specific defaults (CLDR). */
const BY_LANGUAGE: Readonly<Record<string, Partial<Collation>>> = {
  fr_CA: { backwards: true },
  da: { caseFirst: 'upper' },
  mt: { caseFirst: 'upper' },
  th: { alternate: 'shifted' },
};

const DEFAULTS = {
  caseLevel: false,
  caseFirst: 'off',
  strength: 3,
  numericOrdering: false,
  alternate: 'non-ignorable',
  maxVariable: 'punct',
  normalization: false,
  backwards: false,
  version: RULES_VERSION,
} as const;

const tagOf = (locale: string): string => locale.replace(/@collation=/, '-u-co-').replaceAll('_', '-');

function isKnownLocale(locale: string): boolean {
  try {
    return Intl.Collator.supportedLocalesOf(tagOf(locale)).length > 0;
  } catch {
    return false;
  }
}

const parsed = new Map<string, Collation>();
const MOST_PARSED = 1000;

/** A collation with all of its fields, as listed by MongoDB; `simple` has only its locale. Throws if it is unusable. */
function parse(given: Document): Collation {
  const { locale, ...rest } = read(given);
  const shown = shellText(given);
  const { strength = 3 } = rest;
  if (strength < 1 || strength > 5) {
    fail('BadValue', `Field 'strength' must be an integer 1 through 5. Got: ${String(given['strength'])}`);
  }
  if (locale === 'simple') {
    if (Object.keys(rest).some((name) => name !== 'version')) {
      fail('BadValue', `If locale=simple, no other fields should be present in: ${shown}`);
    }
    return { locale };
  }
  if (!isKnownLocale(locale)) fail('BadValue', `Field 'locale' is invalid in: ${shown}`);
  const language = BY_LANGUAGE[locale] ?? BY_LANGUAGE[locale.split('_', 1)[0] as string];
  const whole = { locale, ...DEFAULTS, ...language, ...rest };
  if (rest['backwards'] === true && whole.strength === 1) {
    fail('BadValue', `'backwards' is invalid with 'strength' of 1 in: ${shown}`);
  }
  if (whole.version !== RULES_VERSION) {
    fail(
      'IncompatibleCollationVersion',
      `Requested collation version ${whole.version}, but only ${RULES_VERSION} is available`,
    );
  }
  return whole;
}

/**
 * Reads a collation. Equal ones are the same value, so that they may be keys of caches. Throws 40415, TypeMismatch,
 * 40414 or BadValue for an unusable one.
 */
export function readCollation(given: Document): Collation {
  const collation = parse(given);
  const id = JSON.stringify(collation);
  const known = parsed.get(id);
  if (known !== undefined) return known;
  if (parsed.size >= MOST_PARSED) parsed.clear();
  parsed.set(id, collation);
  return collation;
}

/** The collation as a collection or an index stores and lists it; undefined for `simple`, which is the default. */
export function storedCollation(given: Document | undefined): Collation | undefined {
  if (given === undefined) return undefined;
  const collation = readCollation(given);
  return collation.locale === 'simple' ? undefined : collation;
}
