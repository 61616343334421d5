const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:E([+-]?\d+))?$/i;

/** One text for each number, whatever its BSON type or notation: 1.50, 1.5 and 15E-1 give the same. */
function numberText(value: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(value) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (!NUMBER.test(value)) return value;
  if (significant === '') return '0';
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign === '-' ? '-' : ''}${significant}e${scale}`;
}

/** A text that is equal for scalar values that MongoDB considers equal, and different otherwise. */
export function comparableText(value: unknown): string {
  if (typeof value === 'string') return `s${value}`;
  if (value instanceof Date) return `d${value.toISOString()}`;
  if (typeof value === 'boolean') return `b${value}`;
  return `n${numberText(String(value))}`;
}
