/**
 * Values as Strapi 3 returns them. Its values are those of mongoose, which casts what another program stored
 * with another type each time it is read. The import converts such a value and keeps the old one beside it
 * (docs/from-strapi.md).
 */

import type { ScalarType } from '../../schema/types.js';
import { isBson } from '../../values/bson.js';

/** What cannot be cast is left out of an answer. */
const LEFT_OUT = undefined;

type Cast = (value: unknown, name: string) => unknown;

const isNumeric = (value: unknown): boolean =>
  typeof value === 'bigint' || isBson(value, 'Long') || isBson(value, 'Int32') || isBson(value, 'Double');
const isDecimal = (value: unknown): boolean => isBson(value, 'Decimal128');

/** `Date.prototype.toString` on a server in UTC. */
function longText(date: Date): string {
  const [day = '', number = '', month = '', year = '', time = ''] = date.toUTCString().split(' ');
  return `${day.slice(0, 3)} ${month} ${number} ${year} ${time} GMT+0000 (Coordinated Universal Time)`;
}

const text: Cast = (value) => {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? LEFT_OUT : longText(value);
  const isScalar = typeof value === 'number' || typeof value === 'boolean';
  return isScalar || isNumeric(value) || isDecimal(value) || isBson(value, 'ObjectId')
    ? String(value)
    : LEFT_OUT;
};

const integer: Cast = (value) => {
  if (value === '') return null;
  const isScalar = typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';
  const number = isScalar || isNumeric(value) || isDecimal(value) ? asNumber(value) : Number.NaN;
  return Number.isFinite(number) ? number : LEFT_OUT;
};

const asNumber = (value: unknown): number => (isBson(value) ? Number(String(value)) : Number(value));

/** Rounds to `places` decimals. For a string that is not a number, the answer contains the error itself. */
const rounded =
  (places: number): Cast =>
  (value, name) => {
    if (typeof value !== 'number' && typeof value !== 'string' && !isNumeric(value)) return LEFT_OUT;
    const number = asNumber(value);
    if (Number.isNaN(number)) return { stringValue: '"NaN"', kind: 'Number', value: null, path: name };
    return Number(number.toFixed(places));
  };

/** Digits beyond 64 bits are cut off. */
const biginteger: Cast = (value) => {
  if (typeof value === 'number') return Number.isFinite(value) ? String(BigInt(Math.trunc(value))) : LEFT_OUT;
  const isWhole = isNumeric(value) || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isWhole ? String(BigInt.asIntN(64, BigInt(String(value)))) : LEFT_OUT;
};

const YES: ReadonlySet<unknown> = new Set<unknown>([true, 'true', 'yes', '1', 1]);
const NO: ReadonlySet<unknown> = new Set<unknown>([false, 'false', 'no', '0', 0]);
const boolean: Cast = (value) => (YES.has(value) ? true : NO.has(value) ? false : LEFT_OUT);

const asDate = (value: unknown): Date | null => {
  const date = typeof value === 'string' || typeof value === 'number' ? new Date(value) : value;
  return date instanceof Date && !Number.isNaN(date.getTime()) ? date : null;
};
const datetime: Cast = (value) => asDate(value)?.toISOString() ?? LEFT_OUT;

/** Whether a converted value is still the one that was made of `old`. */
type Same = (old: unknown, now: unknown) => boolean;

const sameText: Same = (old, now) =>
  typeof now === 'string' &&
  (old instanceof Date ? old.toISOString().includes(now) : now.startsWith(String(old)));
const sameNumber: Same = (old, now) => asNumber(old) === asNumber(now);
const sameDigits: Same = (old, now) => String(old) === String(now) || sameNumber(old, now);

interface TypeRule {
  readonly cast: Cast;
  readonly same: Same;
}

const TEXT: TypeRule = { cast: text, same: sameText };

/** By type; the others are returned as stored. */
const RULES: Readonly<Partial<Record<ScalarType, TypeRule>>> = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  uid: TEXT,
  enumeration: TEXT,
  date: TEXT,
  time: TEXT,
  integer: { cast: integer, same: sameNumber },
  float: { cast: rounded(20), same: sameNumber },
  decimal: { cast: rounded(2), same: sameNumber },
  biginteger: { cast: biginteger, same: sameDigits },
  boolean: { cast: boolean, same: (old, now) => boolean(old, '') === now },
  datetime: { cast: datetime, same: (old, now) => datetime(old, '') === now },
};

interface Value {
  readonly name: string;
  readonly type: ScalarType;
  /** In the answer. */
  readonly now: unknown;
  /** Whether the entry has the attribute at all. */
  readonly isStored: boolean;
  /** What the import kept beside it. */
  readonly old: unknown;
}

/**
 * The value of an attribute; undefined leaves it out. Missing, it is left out, and null is null. The old value
 * counts until another is written.
 */
export function castV3({ name, type, now, isStored, old }: Value): unknown {
  const rule = RULES[type];
  const isOld = old !== undefined && old !== null && (isStored ? (rule?.same(old, now) ?? false) : true);
  if (isOld) return rule?.cast(old, name);
  // The default of an enumeration is null.
  if (!isStored) return type === 'enumeration' ? null : undefined;
  return now === null || typeof now !== 'number' || !rule ? now : rule.cast(now, name);
}
