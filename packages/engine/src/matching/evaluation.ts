import type { Binary } from 'bson';
import { fail } from '../errors.js';
import { readNumber, toDouble } from '../values/numbers.js';
import { bsonTag } from '../values/types.js';
import type { ValueTest } from './tests.js';

/** A finite number truncated to an integer; undefined for NaN and the infinities. */
function truncated(value: unknown): bigint | undefined {
  const number = readNumber(value);
  if (number === undefined) return undefined;
  if (number.type === 'long') return number.value;
  const double = number.type === 'decimal' ? toDouble(value) : number.value;
  return Number.isFinite(double) ? BigInt(Math.trunc(double)) : undefined;
}

const isLong = (value: bigint | undefined): value is bigint =>
  value !== undefined && BigInt.asIntN(64, value) === value;

/** `$mod: [divisor, remainder]`. */
export function testMod(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) return fail('BadValue', 'malformed mod, needs to be an array');
  if (operand.length < 2) return fail('BadValue', 'malformed mod, not enough elements');
  if (operand.length > 2) return fail('BadValue', 'malformed mod, too many elements');
  const [divisor, remainder] = operand.map(truncated);
  if (!isLong(divisor)) return fail('BadValue', 'malformed mod, divisor not a 64-bit integer');
  if (!isLong(remainder)) return fail('BadValue', 'malformed mod, remainder not a 64-bit integer');
  if (divisor === 0n) return fail('BadValue', 'divisor cannot be 0');
  const test = (value: unknown): boolean => {
    const whole = truncated(value);
    // A number beyond 64 bits does not match.
    return isLong(whole) && whole % divisor === remainder;
  };
  return { test };
}

/** `$size`. */
export function testSize(operand: unknown): ValueTest {
  const size = toDouble(operand);
  if (Number.isNaN(size))
    return fail('BadValue', `Failed to parse $size. Expected a number in: $size: ${String(operand)}`);
  if (!Number.isInteger(size)) return fail('BadValue', 'Failed to parse $size. Expected an integer');
  if (size < 0)
    return fail('BadValue', `Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
  return { test: (value) => Array.isArray(value) && value.length === size };
}

type Bits = (value: bigint, mask: bigint) => boolean;

const BITS: Readonly<Record<string, Bits>> = {
  $bitsAllSet: (value, mask) => (value & mask) === mask,
  $bitsAllClear: (value, mask) => (value & mask) === 0n,
  $bitsAnySet: (value, mask) => (value & mask) !== 0n,
  $bitsAnyClear: (value, mask) => (value & mask) !== mask,
};

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'object' || value === null || bsonTag(value) !== 'Binary') return undefined;
  const binary = value as Binary;
  return binary.buffer.subarray(0, binary.position);
}

function bitsOf(value: unknown): bigint | undefined {
  const bytes = bytesOf(value);
  if (bytes !== undefined) {
    let bits = 0n;
    for (let i = bytes.length - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(bytes[i] ?? 0);
    return bits;
  }
  const number = readNumber(value);
  if (number === undefined) return undefined;
  if (number.type === 'long') return number.value;
  const double = toDouble(value);
  // Only numbers that a 64-bit integer can represent exactly have bits.
  if (!Number.isInteger(double) || Math.abs(double) >= 2 ** 63) return undefined;
  return BigInt(double);
}

function maskOf(name: string, operand: unknown): bigint {
  if (Array.isArray(operand)) {
    let mask = 0n;
    for (const place of operand) {
      const bit = toDouble(place);
      if (!Number.isInteger(bit))
        fail('BadValue', `Failed to parse bit position. Expected a number in: ${name}`);
      if (bit < 0)
        fail('BadValue', `Failed to parse bit position. Expected a non-negative number in: ${name}: ${bit}`);
      mask |= 1n << BigInt(bit);
    }
    return mask;
  }
  const mask = bitsOf(operand);
  if (mask === undefined)
    fail('BadValue', `${name} takes an Array, a number, or a BinData but received: ${String(operand)}`);
  if (mask < 0n) fail('BadValue', `Expected a non-negative number in: ${name}`);
  return mask;
}

/** The bits of a stored value. MongoDB drops the fraction of a double, although a mask may have none. */
function storedBits(value: unknown): bigint | undefined {
  const number = readNumber(value);
  if (number?.type !== 'double') return bitsOf(value);
  const whole = Math.trunc(number.value);
  return Number.isFinite(whole) && Math.abs(whole) < 2 ** 63 ? BigInt(whole) : undefined;
}

function bitTester(name: string, bits: Bits): (operand: unknown) => ValueTest {
  return (operand) => {
    const mask = maskOf(name, operand);
    const test = (value: unknown): boolean => {
      const set = storedBits(value);
      return set !== undefined && bits(set, mask);
    };
    return { test };
  };
}

/** `$bitsAllSet`, `$bitsAllClear`, `$bitsAnySet`, `$bitsAnyClear`. */
export const BIT_TESTS: Readonly<Record<string, (operand: unknown) => ValueTest>> = Object.fromEntries(
  Object.entries(BITS).map(([name, bits]) => [name, bitTester(name, bits)]),
);
