/**
 * What a server accepts beyond its description, as Strapi does: it reads these as something that is described, or as
 * nothing. Nobody is advised to write them.
 */
import { isObject } from '../../../src/values/plain-object.js';

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.every(isNothing));

/** Populate's own keywords that have no effect next to names of attributes (rules C.1). */
const KEYWORDS = [
  'fields',
  'filters',
  'sort',
  'populate',
  'count',
  'on',
  'true',
  'false',
  't',
  'f',
  '0',
  '1',
  '',
];

const isWholeNumber = (value: unknown): boolean => typeof value === 'string' && /^-?\d+$/.test(value.trim());

const TOLERATED: Readonly<Record<string, (value: unknown) => boolean>> = {
  /** Any other status means a draft (rules A.8). */
  status: () => true,
  /**
   * Without a number, it is the smallest or largest page possible; anything but an object means no page (rules A.11).
   */
  pagination: (value) =>
    !isObject(value) ||
    ['page', 'pageSize', 'start', 'limit'].some((name) => name in value && !isWholeNumber(value[name])),
  /** Empty members of a text are ignored (rules C.1). */
  populate: (value) =>
    isObject(value)
      ? KEYWORDS.some((name) => name in value) || Object.values(value).some(hasToleratedOptions)
      : typeof value === 'string' && value.split(',').some((one) => one.trim() === ''),
  /** Empty members and empty orders are ignored, and what follows an order (rules A.13). */
  sort: (value) =>
    Array.isArray(value)
      ? value.some((one) => isNothing(one) || hasEmptyOrder(one) || hasMoreThanOrder(one))
      : hasEmptyOrder(value) ||
        hasMoreThanOrder(value) ||
        (typeof value === 'string' && value.split(',').some((one) => one.trim().replace(/^:.*/, '') === '')),
};

/** Whether a text has a sort such as `name:desc:asc`. */
const hasMoreThanOrder = (value: unknown): boolean => typeof value === 'string' && /:[^,]*:/.test(value);

/** Whether an object has an empty order at any depth, or a text one after a path such as `owner.name:`. */
const hasEmptyOrder = (value: unknown): boolean =>
  isObject(value)
    ? Object.values(value).some((order) => order === '' || hasEmptyOrder(order))
    : typeof value === 'string' && /\.[^,:]*:\s*(?:,|$)/.test(value);

/** Whether something populated has such a parameter in its options, or in those of a component or type under `on`. */
const hasToleratedOptions = (options: unknown): boolean =>
  isObject(options) &&
  Object.entries(options).some(([name, value]) =>
    name === 'on' && isObject(value)
      ? Object.values(value).some(hasToleratedOptions)
      : isTolerated(name, value),
  );

const isOther = (name: string, value: unknown): boolean =>
  Object.hasOwn(TOLERATED, name) && TOLERATED[name]?.(value) === true;

/** Whether a parameter's value is read as another one instead of refused. */
export const isTolerated = (name: string, value: unknown): boolean =>
  isNothing(value) || isOther(name, value);
