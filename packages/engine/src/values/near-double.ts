/** The maximum relative error of a decimal's double, including the rounding of a product and a power. */
const NEAR = 1e-9;
/** Doubles below this lose digits. */
const LEAST = 1e-290;
const BIAS = 6176;
/** Powers of ten from `10 ** -FAR` to `10 ** FAR`, enough for nearly all decimals. */
const FAR = 40;
const POWERS = Array.from({ length: 2 * FAR + 1 }, (_, i) => 10 ** (i - FAR));

const word = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) +
  (bytes[at + 1] ?? 0) * 0x100 +
  (bytes[at + 2] ?? 0) * 0x1_0000 +
  (bytes[at + 3] ?? 0) * 0x100_0000;

/** A double close to the decimal that begins there; NaN if there is none, as for NaN itself and the infinities. */
export function nearDouble(bytes: Uint8Array, at = 0): number {
  const high = word(bytes, at + 12);
  // If both bits are set: not a number, or a coefficient that nobody writes.
  if (((high >>> 29) & 3) === 3) return Number.NaN;
  const coefficient =
    (((high & 0x1_ffff) * 2 ** 32 + word(bytes, at + 8)) * 2 ** 32 + word(bytes, at + 4)) * 2 ** 32 +
    word(bytes, at);
  if (coefficient === 0) return 0;
  const exponent = ((high >>> 17) & 0x3fff) - BIAS;
  const value = coefficient * (POWERS[exponent + FAR] ?? 10 ** exponent);
  if (!(value > LEAST && value < Number.MAX_VALUE)) return Number.NaN;
  return high >= 0x8000_0000 ? -value : value;
}

/** Whether a decimal is NaN. */
export const isNaNDecimal = ({ bytes }: { readonly bytes: Uint8Array }): boolean =>
  ((bytes[15] ?? 0) & 0x7c) === 0x7c;

/** The order of two numbers by doubles close to them; 0 if these are too close to decide. */
export function compareNear(a: number, b: number): number {
  const difference = a - b;
  return Math.abs(difference) > NEAR * (Math.abs(a) + Math.abs(b)) ? Math.sign(difference) : 0;
}
