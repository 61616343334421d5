import { isRecord } from './merge.js';

/** Reads one setting from a config file. */
export interface Reader {
  /** What fits, for messages: `a whole number from 1 on`. */
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

export const text = reader('text', isText);
export const textOrNull = reader('text or null', (value) => isText(value) || value === null);
export const flag = reader('true or false', (value) => typeof value === 'boolean');
export const record = reader('an object', isRecord);
export const texts = reader('a list of texts', isTexts);
export const trueOrTexts = reader('true or a list of texts', (value) => value === true || isTexts(value));
/** `['a']` or `'a, b'`. */
export const textList = reader(
  'text or a list of texts',
  (value) => isText(value) || isTexts(value),
  (value) => (isText(value) ? value.split(',').map((item) => item.trim()) : value),
);

/** Environment variables come as text: `8080` is as good as 8080. */
export const whole = (least: number, most = Number.POSITIVE_INFINITY): Reader =>
  reader(
    `a whole number from ${least} ${most === Number.POSITIVE_INFINITY ? 'on' : `to ${most}`}`,
    (value) => Number.isInteger(numeric(value)) && numeric(value) >= least && numeric(value) <= most,
    numeric,
  );

/** 0: any free one. */
export const port = whole(0, 65_535);

export const oneOf = (...values: readonly string[]): Reader =>
  reader(`one of ${values.join(', ')}`, (value) => isText(value) && values.includes(value));

/** -1, 0 or null: none. */
export const limitOrNone = reader(
  'a whole number from 1 on, or -1 or null for no limit',
  (value) => value === null || (Number.isInteger(numeric(value)) && numeric(value) >= -1),
  (value) => (value === null || numeric(value) <= 0 ? null : numeric(value)),
);

/** `30d` or a number. */
export const textOrNumber = reader(
  'text or a number',
  (value) => isText(value) || (typeof value === 'number' && Number.isFinite(value)),
);

export const numbers = reader(
  'an object of numbers',
  (value) => isRecord(value) && Object.values(value).every((one) => typeof one === 'number' && one > 0),
);

export const recordOrText = reader(
  'an object or text',
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
