/** What options take, as texts. */
import { InvalidArgumentError } from 'commander';

/** An integer in a range. */
export const integer =
  (from: number, to: number) =>
  (text: string): number => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= from && number <= to) return number;
    throw new InvalidArgumentError(`an integer from ${from} to ${to}`);
  };

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 31_536_000_000,
};

/** `90m`, `12h`, `30d`, `1y` or `forever`, in milliseconds; null: unlimited. */
export const parseLifespan = (text: string): number | null => {
  if (text === 'forever') return null;
  const [, count, unit = ''] = /^(\d+)([mhdy])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('a number followed by m, h, d or y, such as 30d; or forever');
};
