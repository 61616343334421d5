import { fail } from '../errors.js';
import { bsonTypeOf, isDocument } from './types.js';

/** MongoDB's collation document, as far as this engine supports it. */
export interface Collation {
  readonly locale: string;
  readonly strength?: number;
  readonly caseLevel?: boolean;
  readonly caseFirst?: 'upper' | 'lower' | 'off';
  readonly numericOrdering?: boolean;
  readonly alternate?: 'non-ignorable' | 'shifted';
  readonly maxVariable?: string;
  readonly backwards?: boolean;
  readonly normalization?: boolean;
}

/** Compares two strings. */
export type CompareStrings = (a: string, b: string) => number;

const collators = new Map<string, Intl.Collator>();

function sensitivity(collation: Collation): 'base' | 'accent' | 'case' | 'variant' {
  const strength = collation.strength ?? 3;
  if (strength === 1) return collation.caseLevel ? 'case' : 'base';
  if (strength === 2) return collation.caseLevel ? 'variant' : 'accent';
  return 'variant';
}

function makeCollator(collation: Collation): Intl.Collator {
  const { locale, strength = 3 } = collation;
  if (![1, 2, 3, 4, 5].includes(Number(strength))) {
    fail('BadValue', `Field 'strength' must be an integer 1 through 5. Got: ${strength}`);
  }
  try {
    return new Intl.Collator(locale.replaceAll('_', '-').replace('@collation=', '-u-co-'), {
      sensitivity: sensitivity(collation),
      numeric: collation.numericOrdering === true,
      caseFirst:
        collation.caseFirst === 'upper' || collation.caseFirst === 'lower' ? collation.caseFirst : 'false',
      ignorePunctuation: collation.alternate === 'shifted',
    });
  } catch {
    return fail('BadValue', `Field 'locale' is invalid in: { locale: "${locale}" }`);
  }
}

/** The collator of a collation; undefined for none and for `simple`, which compare by bytes. */
function collatorOf(collation: Collation | undefined): Intl.Collator | undefined {
  if (collation === undefined || collation.locale === 'simple') return undefined;
  if (typeof collation.locale !== 'string') {
    fail('TypeMismatch', "Field 'locale' must be of type string in a collation");
  }
  const id = JSON.stringify(collation);
  let collator = collators.get(id);
  if (collator === undefined) {
    collator = makeCollator(collation);
    collators.set(id, collator);
  }
  return collator;
}

/** Strings by their UTF-8 bytes: by code point, which differs from JavaScript's order beyond U+D7FF. */
export function compareBytewise(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i);
    let y = b.charCodeAt(i);
    if (x === y) continue;
    if (x >= 0xd800 && y >= 0xd800) {
      // Surrogates (code points above U+FFFF) come after U+E000 to U+FFFF.
      if (x < 0xe000) x += 0x10000;
      if (y < 0xe000) y += 0x10000;
    }
    return x < y ? -1 : 1;
  }
  return a.length < b.length ? -1 : 1;
}

/** Accents compared from the end of the strings, as in Canadian French; case decides last. */
function backwardsComparer(collation: Collation, whole: Intl.Collator): CompareStrings {
  const { locale } = whole.resolvedOptions();
  const letters = new Intl.Collator(locale, { sensitivity: 'base' });
  const accents = new Intl.Collator(locale, { sensitivity: 'accent' });
  const byAccents: CompareStrings = (a, b) => {
    const left = [...a.normalize('NFC')].reverse();
    const right = [...b.normalize('NFC')].reverse();
    for (let i = 0; i < Math.min(left.length, right.length); i++) {
      const order = accents.compare(left[i] as string, right[i] as string);
      if (order !== 0) return order;
    }
    return left.length - right.length;
  };
  return (a, b) =>
    letters.compare(a, b) || byAccents(a, b) || ((collation.strength ?? 3) > 2 ? whole.compare(a, b) : 0);
}

/** Whether strings that have the same letters still differ: at strength 5, and Japanese ones at 4 (あ before ア). */
const isExact = ({ strength, locale }: Collation): boolean =>
  strength === 5 || (strength === 4 && /^ja\b/.test(locale.replace('_', '-')));

/** The string comparison of a collation; by bytes when there is none. Throws BadValue for a bad collation. */
export function stringComparer(collation?: Collation): CompareStrings {
  const collator = collatorOf(collation);
  if (collator === undefined || collation === undefined) return compareBytewise;
  const compare = collation.backwards === true ? backwardsComparer(collation, collator) : collator.compare;
  if (!isExact(collation)) return compare;
  return (a, b) => compare(a, b) || compareBytewise(a.normalize('NFD'), b.normalize('NFD'));
}

/** Whether a collation changes anything about strings. */
export const isSimpleCollation = (collation?: Collation): boolean => collatorOf(collation) === undefined;

/** Whether two collations compare the same way; each collation is one object. */
export const isSameCollation = (one: Collation | undefined, other: Collation | undefined): boolean =>
  isSimpleCollation(one) ? isSimpleCollation(other) : one === other;

/**
 * A string that two strings share exactly if the collation considers them equal, for hashing and for unique index keys. It has no
 * order: an index with a collation serves only equality.
 */
export function collationKey(text: string, collation?: Collation): string {
  const collator = collatorOf(collation);
  if (collator === undefined) return text;
  const strength = collation?.strength ?? 3;
  let key = text.normalize(strength >= 3 ? 'NFC' : 'NFKD');
  // Accents where only letters count, and control characters always, are as if they were not there.
  key = key.replace(/[\p{M}\p{C}]/gu, (character) =>
    collator.compare(character, '') === 0 ? '' : character,
  );
  if (strength <= 2 && !collation?.caseLevel) key = key.toUpperCase().toLowerCase();
  if (collation?.alternate === 'shifted') key = key.replace(/[\p{P}\p{Z}\s]/gu, '');
  if (collation?.numericOrdering) key = key.replace(/\p{Nd}+/gu, (digits) => digits.replace(/^0+(?=.)/, ''));
  return key;
}

/** A value in which each string, at any depth, is replaced by its `collationKey`; a symbol is a string. */
export function collatedValue(value: unknown, collation: Collation): unknown {
  const type = bsonTypeOf(value);
  if (type === 'string' || type === 'symbol') return collationKey(String(value), collation);
  if (Array.isArray(value)) return value.map((item) => collatedValue(item, collation));
  if (!isDocument(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, collatedValue(item, collation)]),
  );
}
