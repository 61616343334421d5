import { fail } from '../errors.js';

/** The last millisecond before or after 1970 that a JavaScript date can represent. */
const FARTHEST = 8_640_000_000_000_000n;

/** A BSON date beyond the years ±275,760. It can be compared and stored, but has no calendar fields. */
export class FarDate extends Date {
  constructor(readonly milliseconds: bigint) {
    super(Number.NaN);
  }

  override getTime(): number {
    return Number(this.milliseconds);
  }

  override valueOf(): number {
    return this.getTime();
  }

  override toISOString(): string {
    return fail('NotImplemented', `dates beyond the years ±275,760 are not supported: ${this.milliseconds}`);
  }
}

/** The date for a number of milliseconds since 1970. Throws Overflow beyond 64 bits. */
export function dateOf(milliseconds: bigint): Date {
  if (BigInt.asIntN(64, milliseconds) !== milliseconds) fail('Overflow', 'date overflow');
  const isNear = milliseconds <= FARTHEST && milliseconds >= -FARTHEST;
  return isNear ? new Date(Number(milliseconds)) : new FarDate(milliseconds);
}

/** A date as milliseconds since 1970. */
export const millisecondsOf = (date: Date): bigint =>
  date instanceof FarDate ? date.milliseconds : BigInt(date.getTime());
