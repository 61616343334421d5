import { asText } from '../../values/as-text.js';
import { isBson } from '../../values/bson.js';
import { numberOf } from '../../values/plain-object.js';
import { numberRule } from './rules.js';
import { fits, misfit, type Scalar, UNFIT } from './scalar.js';

const NOT_A_NUMBER = misfit('value-not-a-number', 'Expected a valid number');

/** The value as a finite number, also if it is a numeric string or a BigInt; otherwise null. */
export const finiteNumber = (value: unknown): number | null =>
  typeof value === 'bigint' ? Number(value) : numberOf(value);

/** Applies `then` to a number and its text; refuses anything else. */
export const ifNumber = (value: unknown, then: (number: number, text: string) => ReturnType<typeof fits>) => {
  const number = finiteNumber(value);
  return number === null ? NOT_A_NUMBER : then(number, String(value).trim());
};

/** Text without spaces as a number, and anything else by `parseFloat`; NaN if there is no number. */
export function readNumber(value: unknown): unknown {
  if (value === null || typeof value === 'number') return value;
  if (isBson(value, 'Decimal128') || isBson(value, 'Long')) return Number(String(value));
  if (typeof value !== 'string')
    return Number.parseFloat(
      Array.isArray(value) ? asText(value) : typeof value === 'object' ? '' : String(value),
    );
  const text = value.replace(/\s/g, '');
  return text === '' ? Number.NaN : Number(text);
}

/** Also converts the driver's `Long` and `Decimal128`, by their text. */
export const showNumber = (value: unknown): unknown =>
  typeof value === 'number' ? value : Number(String(value));

const bound = { type: 'number' };

export const float: Scalar = {
  stored: 'number',
  options: { min: bound, max: bound },
  readDefault: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : UNFIT;
  },
  defaultWords: 'a number',
  fromQuery: (value) => ifNumber(value, fits),
  fromBody: readNumber,
  rule: (attribute, strict) => ({ ...numberRule(attribute, strict), finite: true }),
  show: () => showNumber,
  answerType: 'number',
  described: { operand: 'Number', answer: { type: 'number' }, query: { type: 'number' } },
};
