import { isRecord } from './merge.js';

/** Reads one setting from a config file. */
export interface Reader {
  /** What fits, for messages: `an integer from 1`. */
  readonly expected: string;
  /** The value as the program uses it; UNREADABLE where it does not fit. */
  readonly read: (value: unknown) => unknown;
}

export const UNREADABLE: unique symbol = Symbol('unreadable');

const reader = (
  expected: string,
  fits: (value: unknown) => boolean,
  convert = (value: unknown) => value,
): Reader => ({
  expected,
  read: (value) => (fits(value) ? convert(value) : UNREADABLE),
});

const numeric = (value: unknown): number =>
  typeof value === 'string' && value.trim() !== ''
    ? Number(value)
    : typeof value === 'number'
      ? value
      : Number.NaN;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

export const text = reader('a string', isText);
export const textOrNull = reader('a string or null', (value) => isText(value) || value === null);
export const flag = reader('true or false', (value) => typeof value === 'boolean');
export const record = reader('an object', isRecord);
export const texts = reader('a list of strings', isTexts);
export const trueOrTexts = reader('true or a list of strings', (value) => value === true || isTexts(value));
/** `['a']` or `'a, b'`. */
export const textList = reader(
  'a string or a list of strings',
  (value) => isText(value) || isTexts(value),
  (value) => (isText(value) ? value.split(',').map((item) => item.trim()) : value),
);

/** Environment variables come as text: `8080` is as good as 8080. */
export const integer = (min: number, max = Number.POSITIVE_INFINITY): Reader =>
  reader(
    `an integer from ${min}${max === Number.POSITIVE_INFINITY ? '' : ` to ${max}`}`,
    (value) => Number.isInteger(numeric(value)) && numeric(value) >= min && numeric(value) <= max,
    numeric,
  );

/** 0: any free port. */
export const port = integer(0, 65_535);

export const oneOf = (...values: readonly string[]): Reader =>
  reader(`one of ${values.join(', ')}`, (value) => isText(value) && values.includes(value));

/** -1, 0 or null: none. */
export const limitOrNone = reader(
  'an integer from 1, or -1 or null for no limit',
  (value) => value === null || (Number.isInteger(numeric(value)) && numeric(value) >= -1),
  (value) => (value === null || numeric(value) <= 0 ? null : numeric(value)),
);

/** `30d` or a number. */
export const textOrNumber = reader(
  'a string or a number',
  (value) => isText(value) || (typeof value === 'number' && Number.isFinite(value)),
);

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  sec: 1000,
  min: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Milliseconds, or Strapi's `{ min: 5 }`. */
export const interval = reader(
  'milliseconds, or an object such as { min: 5 } with ms, sec, min, hour or day',
  (value) =>
    isRecord(value)
      ? Object.keys(value).length > 0 &&
        Object.entries(value).every(([unit, one]) => Object.hasOwn(UNITS, unit) && numeric(one) > 0)
      : Number.isInteger(numeric(value)) && numeric(value) > 0,
  (value) =>
    isRecord(value)
      ? Object.entries(value).reduce((sum, [unit, one]) => sum + (UNITS[unit] ?? 0) * numeric(one), 0)
      : numeric(value),
);

export const numbers = reader(
  'an object of numbers',
  (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'number' && one > 0),
);

export const recordOrText = reader(
  'an object or a string',
  (value) => isRecord(value) || isText(value) || value === null,
);

/** `/api`, `api` and `/api/` are one prefix. */
export const prefix = reader('a path such as "/api"', isText, (value) =>
  `/${String(value)}`.replaceAll(/\/+/g, '/').replace(/\/$/, ''),
);

export const roles = reader(
  'roles by type: lists of actions, or objects with "permissions"',
  (value) =>
    isRecord(value) &&
    Object.values(value).every((role) => isTexts(role) || (isRecord(role) && isTexts(role['permissions']))),
);

/** Strapi's `proxy` is a flag or `{ koa: true }`. */
export const proxy = reader(
  'true, false or an object with "koa"',
  (value) => typeof value === 'boolean' || isRecord(value),
  (value) => (isRecord(value) ? value['koa'] === true : value),
);
