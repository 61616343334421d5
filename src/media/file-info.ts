import { errors, fieldError } from '../errors.js';
import { checkNesting } from '../limits/nesting.js';
import { printValue } from '../print-value.js';
import { isAbsent } from '../values/absent.js';
import { parseJson } from '../values/json.js';
import { isObject } from '../values/plain-object.js';
import { checkFileName } from './file-name.js';
import type { FileInfo, FocalPoint } from './types.js';

const wrong = (key: string, expected: string) =>
  errors.validation('file-info-value-invalid', `fileInfo.${key} must be ${expected}`);

const text = (key: string, value: unknown): string => {
  if (typeof value === 'string') return value;
  throw wrong(key, 'a string or null');
};

/** What is wrong with one coordinate of a focal point, a percentage, in Strapi's words; null if nothing is. */
const percentageFault = (value: unknown): string | null => {
  if (value === undefined) return 'is a required field';
  if (typeof value !== 'number')
    return `must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${printValue(value)}\`).`;
  if (value < 0) return 'must be greater than or equal to 0';
  return value > 100 ? 'must be less than or equal to 100' : null;
};

const point = (_: string, value: unknown): FocalPoint => {
  if (!isObject(value)) throw wrong('focalPoint', 'null or { x, y } with numbers from 0 to 100');
  const faults = ['x', 'y'].flatMap((axis) => {
    const path = ['fileInfo', 'focalPoint', axis];
    const fault = percentageFault(value[axis]);
    return fault === null ? [] : [fieldError(path, `${path.join('.')} ${fault}`, value[axis])];
  });
  if (faults.length > 0) throw errors.fields(faults);
  return { x: Number(value['x']), y: Number(value['y']) };
};

const READERS = {
  name: (key: string, value: unknown) => checkFileName(text(key, value)),
  alternativeText: text,
  caption: text,
  focalPoint: point,
};

/** As in Strapi, null keeps what is stored, and so does an empty name: neither is in the result. */
const isGiven = (key: string, value: unknown): boolean =>
  !isAbsent(value) && !(key === 'name' && value === '');

const read = (value: unknown): FileInfo => {
  if (!isObject(value)) throw errors.validation('file-info-not-an-object', 'fileInfo must be an object');
  return Object.fromEntries(
    Object.entries(READERS).flatMap(([key, reader]) =>
      isGiven(key, value[key]) ? [[key, reader(key, value[key])]] : [],
    ),
  );
};

const parse = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  if (!parsed) throw errors.validation('file-info-not-json', 'fileInfo is not valid JSON');
  checkNesting(parsed.value);
  return parsed.value;
};

/**
 * The `fileInfo` fields of a request, one per file in the same order: JSON text or objects, or one list of
 * them. Unknown keys are dropped; invalid values are a 400.
 */
export const parseFileInfos = (fields: readonly unknown[]): FileInfo[] => fields.flatMap(parse).map(read);
