import { errors } from '../errors.js';
import { checkNesting } from '../limits/nesting.js';
import { parseJson } from '../values/json.js';
import { isObject } from '../values/plain-object.js';
import { checkFileName } from './file-name.js';
import type { FileInfo, FocalPoint } from './types.js';

const wrong = (key: string, expected: string) =>
  errors.validation('file-info-value-invalid', `fileInfo.${key} must be ${expected}`);

const text = (key: string, value: unknown): string | null => {
  if (value === null || typeof value === 'string') return value;
  throw wrong(key, 'a string or null');
};

const isPercentage = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= 100;

const point = (_: string, value: unknown): FocalPoint | null => {
  if (value === null) return null;
  if (!isObject(value) || !isPercentage(value['x']) || !isPercentage(value['y']))
    throw wrong('focalPoint', 'null or { x, y } with numbers from 0 to 100');
  return { x: value['x'], y: value['y'] };
};

const READERS = { alternativeText: text, caption: text, focalPoint: point };

const read = (value: unknown): FileInfo => {
  if (!isObject(value)) throw errors.validation('file-info-not-an-object', 'fileInfo must be an object');
  const name =
    value['name'] === undefined || value['name'] === null ? undefined : text('name', value['name']);
  if (typeof name === 'string') checkFileName(name);
  return {
    ...(typeof name === 'string' && { name }),
    ...Object.fromEntries(
      Object.entries(READERS).flatMap(([key, reader]) =>
        value[key] === undefined ? [] : [[key, reader(key, value[key])]],
      ),
    ),
  };
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
