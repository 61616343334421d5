import { isScalarType, type ScalarType } from '../schema/scalars/index.js';
import { isPlainObject, isTexts } from '../values/plain-object.js';

/** Reads one setting from a config file. */
export interface SettingReader<T = unknown> {
  /** The accepted values, for messages: `an integer from 1`. */
  readonly expected: string;
  /** The value as the program uses it; UNREADABLE if it is not accepted. */
  readonly read: (value: unknown) => T | typeof UNREADABLE;
  /** What a value contains that has no effect, for a warning. */
  readonly ignored?: (value: unknown) => readonly unknown[];
}

export const UNREADABLE: unique symbol = Symbol('unreadable');

/** Reads accepted values unchanged. */
const reader = <T>(expected: string, fits: (value: unknown) => value is T): SettingReader<T> => ({
  expected,
  read: (value) => (fits(value) ? value : UNREADABLE),
});

/** Reads accepted values and converts them. */
const converter = <T>(
  expected: string,
  fits: (value: unknown) => boolean,
  convert: (value: unknown) => T,
): SettingReader<T> => ({ expected, read: (value) => (fits(value) ? convert(value) : UNREADABLE) });

const numeric = (value: unknown): number =>
  typeof value === 'string' && value.trim() !== ''
    ? Number(value)
    : typeof value === 'number'
      ? value
      : Number.NaN;
const isText = (value: unknown): value is string => typeof value === 'string';

export const textSetting = reader('a string', isText);
export const flag = reader('true or false', (value) => typeof value === 'boolean');
export const record = reader('an object', isPlainObject);
export const texts = reader('a list of strings', isTexts);
export const trueOrTexts = reader(
  'true or a list of strings',
  (value): value is true | readonly string[] => value === true || isTexts(value),
);
export const recordOfTypes = reader(
  'an object of attribute types such as "string" or "json"',
  (value): value is Readonly<Record<string, ScalarType>> =>
    isPlainObject(value) && Object.values(value).every((type) => isText(type) && isScalarType(type)),
);
export const recordOfTexts = reader(
  'an object of strings',
  (value): value is Readonly<Record<string, string>> =>
    isPlainObject(value) && Object.values(value).every(isText),
);
export const textsByName = reader(
  'an object of objects of strings',
  (value): value is Readonly<Record<string, Readonly<Record<string, string>>>> =>
    isPlainObject(value) &&
    Object.values(value).every((texts) => isPlainObject(texts) && Object.values(texts).every(isText)),
);
/** Accepts what `inner` accepts, or null. */
export const orNull = <T>(inner: SettingReader<T>): SettingReader<T | null> => ({
  expected: `${inner.expected} or null`,
  read: (value) => (value === null ? null : inner.read(value)),
});

/** Accepts what `inner` accepts, or undefined. */
export const optional = <T>(inner: SettingReader<T>): SettingReader<T | undefined> => ({
  expected: inner.expected,
  read: (value) => (value === undefined ? undefined : inner.read(value)),
});

/** `['a']` or `'a, b'`. */
export const textList: SettingReader<readonly string[]> = {
  expected: 'a string or a list of strings',
  read(value) {
    if (isText(value)) return value.split(',').map((item) => item.trim());
    return isTexts(value) ? value : UNREADABLE;
  },
};

/**
 * As `textList`; in a list, what equals no `Origin`, such as a regular expression, matches none, as in Strapi. A function,
 * which is not called, allows none.
 */
export const origins: SettingReader<readonly string[]> = {
  expected: textList.expected,
  read(value) {
    if (typeof value === 'function') return [];
    return Array.isArray(value) ? value.filter(isText) : textList.read(value);
  },
  ignored: (value) => (Array.isArray(value) ? value.filter((item) => !isText(item)) : []),
};

/** Environment variables are text, so `8080` is accepted as 8080. */
export const integerFrom = (min: number, max = Number.POSITIVE_INFINITY): SettingReader<number> =>
  converter(
    `an integer from ${min}${max === Number.POSITIVE_INFINITY ? '' : ` to ${max}`}`,
    (value) => Number.isInteger(numeric(value)) && numeric(value) >= min && numeric(value) <= max,
    numeric,
  );

/** Config files compute sizes, such as `2.5 * 1024 * 1024`: fractions of a byte are cut off. */
export const bytes: SettingReader<number> = converter(
  'a number of bytes',
  (value) => numeric(value) >= 1 && numeric(value) < Number.POSITIVE_INFINITY,
  (value) => Math.floor(numeric(value)),
);

/** 0 means any free port. */
export const port = integerFrom(0, 65_535);

export const oneOf = <const T extends string>(...values: readonly T[]): SettingReader<T> =>
  reader(`one of ${values.join(', ')}`, (value): value is T => values.some((one) => one === value));

/** -1, 0 or null mean no limit. */
export const limitOrNone: SettingReader<number | null> = converter(
  'an integer from 1, or -1 or null for no limit',
  (value) => value === null || (Number.isInteger(numeric(value)) && numeric(value) >= -1),
  (value) => (value === null || numeric(value) <= 0 ? null : numeric(value)),
);

/** `30d` or a number. */
export const textOrNumber = reader(
  'a string or a number',
  (value): value is string | number => isText(value) || (typeof value === 'number' && Number.isFinite(value)),
);

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  sec: 1000,
  min: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Milliseconds, or Strapi's `{ min: 5 }`. */
export const interval: SettingReader<number> = converter(
  'milliseconds, or an object such as { min: 5 } with ms, sec, min, hour or day',
  (value) =>
    isPlainObject(value)
      ? Object.keys(value).length > 0 &&
        Object.entries(value).every(([unit, one]) => Object.hasOwn(UNITS, unit) && numeric(one) > 0)
      : Number.isInteger(numeric(value)) && numeric(value) > 0,
  (value) =>
    isPlainObject(value)
      ? Object.entries(value).reduce((sum, [unit, one]) => sum + (UNITS[unit] ?? 0) * numeric(one), 0)
      : numeric(value),
);

/** An object of positive numbers; keys without a value, as `env` leaves them, are left out. */
export const numbers: SettingReader<Readonly<Record<string, number>>> = converter(
  'an object of numbers',
  (value) =>
    isPlainObject(value) &&
    Object.values(value).every((one) => one === undefined || (typeof one === 'number' && one > 0)),
  (value) =>
    Object.fromEntries(
      Object.entries(value as Record<string, number>).filter(([, one]) => one !== undefined),
    ),
);

export const recordOrText = reader(
  'an object or a string',
  (value): value is Readonly<Record<string, unknown>> | string | null =>
    isPlainObject(value) || isText(value) || value === null,
);

/** `/api`, `api` and `/api/` are one prefix. */
export const prefix: SettingReader<string> = converter('a path such as "/api"', isText, (value) =>
  `/${String(value)}`.replaceAll(/\/+/g, '/').replace(/\/$/, ''),
);

/** An action, or an action with a rule; the access module checks the rule against the schema. */
export type Permission = string | { readonly action: string; readonly [term: string]: unknown };

/** Roles by type: a list of permissions, or an object with `permissions`. */
export type RolesConfig = Readonly<
  Record<
    string,
    | readonly Permission[]
    | { readonly name?: string; readonly description?: string; readonly permissions: readonly Permission[] }
  >
>;

const isPermissions = (value: unknown): value is readonly Permission[] =>
  Array.isArray(value) &&
  value.every((one: unknown) => isText(one) || (isPlainObject(one) && isText(one['action'])));

export const roles = reader(
  'roles by type: lists of actions, or objects with "permissions"; an action is a string or an object with "action"',
  (value): value is RolesConfig =>
    isPlainObject(value) &&
    Object.values(value).every(
      (role) => isPermissions(role) || (isPlainObject(role) && isPermissions(role['permissions'])),
    ),
);

/** Strapi's `proxy` is a flag or `{ koa: true }`. */
export const proxy: SettingReader<boolean> = converter(
  'true, false or an object with "koa"',
  (value) => typeof value === 'boolean' || isPlainObject(value),
  (value) => (isPlainObject(value) ? value['koa'] === true : value === true),
);
