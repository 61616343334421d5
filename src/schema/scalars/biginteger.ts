import { Long } from 'bson';
import { isBson } from '../../values/bson.js';
import { ifNumber } from './float.js';
import { notNil } from './rules.js';
import { fits, misfit, type Scalar, UNFIT } from './scalar.js';

/** Whether the digits fit into 64 bits. */
export const isLong = (digits: string): boolean =>
  /^[+-]?\d{1,20}$/.test(digits) && BigInt(digits) === BigInt.asIntN(64, BigInt(digits));

const toLong = (digits: string): Long => Long.fromString(digits.replace(/^\+/, ''));

const bound = { type: ['string', 'integer'], pattern: '^[+-]?\\d+$' };
const option = { ...bound, description: 'an integer in quotes' };

/** 64-bit integers; all digits are kept. */
export const biginteger: Scalar = {
  stored: 'long',
  options: { min: option, max: option },
  readDefault: (value) => (isLong(String(value)) ? String(value) : UNFIT),
  defaultWords: 'an integer in quotes',
  fromQuery: (value) => {
    if (isBson(value, 'Long')) return fits(value);
    return ifNumber(value, (_, text) =>
      isLong(text) ? fits(toLong(text)) : misfit('value-not-64-bit', 'Expected a 64-bit integer'),
    );
  },
  fromBody: (value) => {
    if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : value;
    if (typeof value === 'string') return value.trim();
    return isBson(value, 'Long') || typeof value === 'bigint' ? String(value) : value;
  },
  rule: (attribute, strict) => ({ ...notNil(attribute, strict), biginteger: true }),
  store: (value) => toLong(String(value)),
  show: () => String,
  answerType: 'string',
  inputType: 'string | number | bigint',
  described: {
    operand: 'BigInteger',
    answer: { type: 'string', pattern: bound.pattern, description: 'A 64-bit integer, all digits of it' },
    input: bound,
    query: bound,
  },
};
