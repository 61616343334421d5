import { compareParts, type DecimalParts, exactDouble, stripZeros } from './decimal.js';
import { type Numeric, readNumber, toDecimalValue } from './numbers.js';

/** The first byte of a number's encoding: its rank among numbers. */
export const NUMBER_MARKS = { nan: 0x20, negative: 0x21, zero: 0x22, positive: 0x23 } as const;

const EXACT = 0x00;
const BETWEEN = 0x01;
const EXPONENT_BIAS = 0x4000;

const scratch = new DataView(new ArrayBuffer(8));

/** The largest double not above a positive decimal; exact if it equals it. */
function floorDouble(parts: DecimalParts): { floor: number; exact: boolean } {
  let guess = Number(`${parts.coefficient}e${parts.exponent}`);
  if (guess === Number.POSITIVE_INFINITY) guess = Number.MAX_VALUE;
  let order = compareParts(exactDouble(guess), parts);
  if (order > 0) {
    guess = previousDouble(guess);
    order = compareParts(exactDouble(guess), parts);
  }
  return { floor: guess, exact: order === 0 };
}

function previousDouble(value: number): number {
  scratch.setFloat64(0, value);
  scratch.setBigUint64(0, scratch.getBigUint64(0) - 1n);
  return scratch.getFloat64(0);
}

function pushDouble(out: number[], magnitude: number): void {
  scratch.setFloat64(0, magnitude);
  for (let i = 0; i < 8; i++) out.push(scratch.getUint8(i));
}

/** The exponent and digits of a number between two doubles, so that such numbers keep their order. */
function pushDigits(out: number[], parts: DecimalParts): void {
  const { coefficient, exponent } = stripZeros(parts);
  const digits = coefficient.toString();
  const scale = exponent + digits.length + EXPONENT_BIAS;
  out.push(scale >> 8, scale & 0xff);
  for (const digit of digits) out.push(digit.charCodeAt(0) - 0x2f);
  out.push(0);
}

function pushMagnitude(out: number[], number: Numeric): void {
  if (typeof number.value === 'number') {
    pushDouble(out, Math.abs(number.value));
    out.push(EXACT);
    return;
  }
  const value = toDecimalValue(number);
  if (typeof value === 'string') {
    pushDouble(out, Number.POSITIVE_INFINITY);
    out.push(EXACT);
    return;
  }
  const magnitude = { ...value, negative: false };
  const { floor, exact } = floorDouble(magnitude);
  pushDouble(out, floor);
  out.push(exact ? EXACT : BETWEEN);
  if (!exact) pushDigits(out, magnitude);
}

function markOf(number: Numeric): number {
  const { type, value } = number;
  if (type === 'decimal') {
    const parts = toDecimalValue(number);
    if (parts === 'nan') return NUMBER_MARKS.nan;
    if (parts === 'infinity') return NUMBER_MARKS.positive;
    if (parts === '-infinity') return NUMBER_MARKS.negative;
    if (parts.coefficient === 0n) return NUMBER_MARKS.zero;
    return parts.negative ? NUMBER_MARKS.negative : NUMBER_MARKS.positive;
  }
  if (Number.isNaN(value as number) && typeof value === 'number') return NUMBER_MARKS.nan;
  if (value < 0) return NUMBER_MARKS.negative;
  return value > 0 ? NUMBER_MARKS.positive : NUMBER_MARKS.zero;
}

/**
 * Appends the order-preserving bytes of a number: a mark, the largest double not above its magnitude and, if the number lies
 * between two doubles, its decimal digits. Equal numbers have the same encoding whatever their type.
 */
export function encodeNumber(out: number[], value: unknown): void {
  const number = readNumber(value);
  if (number === undefined) return;
  const mark = markOf(number);
  out.push(mark);
  if (mark === NUMBER_MARKS.nan || mark === NUMBER_MARKS.zero) return;
  const start = out.length;
  pushMagnitude(out, number);
  if (mark !== NUMBER_MARKS.negative) return;
  for (let i = start; i < out.length; i++) out[i] = 0xff - (out[i] ?? 0);
}
