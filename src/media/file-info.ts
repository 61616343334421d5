import { type ApiError, errors, fieldError } from '../errors.js';
import { checkNesting } from '../limits/nesting.js';
import { printValue } from '../print-value.js';
import { isAbsent } from '../values/absent.js';
import { parseJson } from '../values/json.js';
import { isObject } from '../values/plain-object.js';
import { checkFileName } from './file-name.js';
import type { FileInfo, FocalPoint } from './types.js';

/** Where a value stands: `fileInfo[1]`, `caption`. */
type Place = readonly (string | number)[];

const fault = (place: Place, message: string, value: unknown) => {
  const name = place.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return fieldError(place.map(String), `${name.slice(1)} ${message}`, value);
};

/** In Strapi's words, which cast what is no list or object to null. */
const wrongType = (type: 'array' | 'object', place: Place, value: unknown): ApiError => {
  const cast = value === null ? '' : ` (cast from the value \`${printValue(value)}\`)`;
  return errors.fields([
    fault(place, `must be a \`${type}\` type, but the final value was: \`null\`${cast}.`, value),
  ]);
};

const text = (place: Place, value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  throw errors.fields([
    fault(place, `must be a \`string\` type, but the final value was: \`${printValue(value)}\`.`, value),
  ]);
};

/** What is wrong with one coordinate of a focal point, a percentage, in Strapi's words; null if nothing is. */
const percentageFault = (value: unknown): string | null => {
  if (value === undefined) return 'is a required field';
  if (typeof value !== 'number')
    return `must be a \`number\` type, but the final value was: \`NaN\` (cast from the value \`${printValue(value)}\`).`;
  if (value < 0) return 'must be greater than or equal to 0';
  return value > 100 ? 'must be less than or equal to 100' : null;
};

const point = (place: Place, value: unknown): FocalPoint => {
  if (!isObject(value))
    throw errors.validation(
      'file-info-value-invalid',
      'fileInfo.focalPoint must be null or { x, y } with numbers from 0 to 100',
    );
  const faults = ['x', 'y'].flatMap((axis) => {
    const wrong = percentageFault(value[axis]);
    return wrong === null ? [] : [fault([...place, axis], wrong, value[axis])];
  });
  if (faults.length > 0) throw errors.fields(faults);
  return { x: Number(value['x']), y: Number(value['y']) };
};

const READERS = {
  name: (place: Place, value: unknown) => checkFileName(text(place, value)),
  alternativeText: text,
  caption: text,
  focalPoint: point,
};

/** As in Strapi, null keeps what is stored, and so does an empty name: neither is in the result. */
const isGiven = (key: string, value: unknown): boolean =>
  !isAbsent(value) && !(key === 'name' && value === '');

const ROOT: Place = ['fileInfo'];

const read = (value: unknown, place: Place): FileInfo => {
  if (!isObject(value)) throw wrongType('object', place, value);
  return Object.fromEntries(
    Object.entries(READERS).flatMap(([key, reader]) =>
      isGiven(key, value[key]) ? [[key, reader([...place, key], value[key])]] : [],
    ),
  );
};

const readAll = (values: readonly unknown[]): FileInfo[] =>
  values.map((value, at) => read(value, [...ROOT, at]));

/** The value of JSON text; null if it is none. */
const parse = (text: string): { readonly value: unknown } | null => {
  const parsed = parseJson(text);
  if (parsed) checkNesting(parsed.value);
  return parsed;
};

const parseField = (field: unknown): unknown => {
  if (typeof field !== 'string' || field === '') return field;
  const parsed = parse(field);
  if (!parsed) throw errors.validation('file-info-not-json', 'fileInfo is not valid JSON');
  return parsed.value;
};

/**
 * The `fileInfo` fields of a request with files: JSON text or objects. Several files take a list, or one field each,
 * in the same order; one file takes an object, or a list of one. Unknown keys are dropped; invalid values are a 400.
 */
export const parseFileInfos = (fields: readonly unknown[], files: number): FileInfo[] => {
  if (fields.length === 0) return [];
  const parsed = fields.map(parseField);
  const given = parsed.length === 1 ? parsed[0] : parsed;
  const value: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  if (files === 1) return [read(value, ROOT)];
  if (!Array.isArray(value)) throw wrongType('array', ROOT, value);
  return readAll(value);
};

/** The `fileInfo` of a request without files: JSON text or an object. */
export const parseFileInfo = (field: unknown): FileInfo => {
  const value = typeof field === 'string' ? parse(field)?.value : field;
  if (!isObject(value)) throw wrongType('object', ROOT, field);
  return read(value, ROOT);
};

/** What code gives for one or several files. */
export const fileInfosOf = (given: unknown): FileInfo[] =>
  given === undefined ? [] : Array.isArray(given) ? readAll(given) : [read(given, ROOT)];
