import type { Document } from 'bson';
import { fail } from '../errors.js';
import { compareValues } from '../values/compare.js';
import { toDouble } from '../values/numbers.js';
import { isDocument, isNumeric } from '../values/types.js';

/** Checks a keyword's operand, in the schema that contains it. Throws TypeMismatch or FailedToParse. */
export type Check = (name: string, operand: unknown, schema: Document) => void;

const must =
  (is: (operand: unknown) => boolean, what: string): Check =>
  (name, operand) => {
    if (!is(operand)) fail('TypeMismatch', `$jsonSchema keyword '${name}' must be ${what}`);
  };

const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isString = (value: unknown): boolean => typeof value === 'string';

export const number = must(isNumeric, 'a number');
export const boolean = must(isBoolean, 'a boolean');
export const text = must(isString, 'a string');
export const schema = must(isDocument, 'an object');
export const schemaOrBoolean = must(
  (value) => isBoolean(value) || isDocument(value),
  'an object or a boolean',
);

const list: Check = (name, operand) => {
  if (!Array.isArray(operand)) fail('TypeMismatch', `$jsonSchema keyword '${name}' must be an array`);
  if (operand.length === 0) fail('FailedToParse', `$jsonSchema keyword '${name}' cannot be an empty array`);
};

function noRepeats(name: string, values: readonly unknown[]): void {
  const sorted = [...values].sort(compareValues);
  if (sorted.some((value, i) => i > 0 && compareValues(sorted[i - 1], value) === 0)) {
    fail('FailedToParse', `$jsonSchema keyword '${name}' array cannot contain duplicate values`);
  }
}

const listOf =
  (is: (item: unknown) => boolean, what: string, unique = true): Check =>
  (name, operand, within) => {
    list(name, operand, within);
    const items = operand as unknown[];
    if (!items.every(is)) fail('TypeMismatch', `$jsonSchema keyword '${name}' must be an array of ${what}`);
    if (unique) noRepeats(name, items);
  };

export const schemas = listOf(isDocument, 'objects', false);
export const names = listOf(isString, 'strings');

export const nonNegativeInteger: Check = (name, operand) => {
  const value = toDouble(operand);
  if (!Number.isInteger(value) || value < 0) {
    fail('FailedToParse', `$jsonSchema keyword '${name}' must be a non-negative integer`);
  }
};

/** A keyword that modifies another one. */
export const beside =
  (other: string): Check =>
  (name, operand, within) => {
    boolean(name, operand, within);
    if (within[other] === undefined) {
      fail('FailedToParse', `$jsonSchema keyword '${other}' must be a present if '${name}' is present`);
    }
  };

export const members: Check = (name, operand, within) => {
  schema(name, operand, within);
  for (const [member, inner] of Object.entries(operand as Document)) {
    if (!isDocument(inner))
      fail('TypeMismatch', `Nested schema for $jsonSchema property '${member}' must be an object`);
  }
};

export const types: Check = (name, operand, within) => {
  if (Array.isArray(operand)) names(name, operand, within);
  else text(name, operand, within);
  if (name === 'type' && within['bsonType'] !== undefined) {
    fail('FailedToParse', "Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
  }
  if (name === 'type' && [operand].flat().includes('integer')) {
    fail('FailedToParse', "$jsonSchema type 'integer' is not currently supported.");
  }
};

export const enumeration: Check = (name, operand, within) => {
  list(name, operand, within);
  noRepeats(name, operand as unknown[]);
};

export const dependencies: Check = (name, operand, within) => {
  schema(name, operand, within);
  for (const rule of Object.values(operand as Document)) {
    if (Array.isArray(rule)) names(name, rule, within);
    else schema(name, rule, within);
  }
};

export const items: Check = (name, operand, within) => {
  if (!Array.isArray(operand)) schema(name, operand, within);
  else if (!operand.every(isDocument))
    fail(
      'TypeMismatch',
      `$jsonSchema keyword '${name}' requires that each element of the array is an object`,
    );
};

export const multipleOf: Check = (name, operand, within) => {
  number(name, operand, within);
  if (!(toDouble(operand) > 0))
    fail('FailedToParse', `$jsonSchema keyword '${name}' must have a positive value`);
};

export const encrypt: Check = (name, operand, within) => {
  schema(name, operand, within);
  if (within['type'] !== undefined || within['bsonType'] !== undefined)
    fail(
      'FailedToParse',
      "$jsonSchema keyword 'encrypt' cannot be used in conjunction with 'type' or 'bsonType'",
    );
};
