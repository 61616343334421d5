import { toDouble } from '../values/numbers.js';
import { isTruthy } from '../values/type-names.js';
import { bsonTypeOf, isDocument, isNumeric } from '../values/types.js';

/** The type of a field: names from MongoDB's interface definitions, as its messages and documentation use them. */
export type FieldType =
  | 'any'
  | 'array'
  | 'bool'
  | 'boolean or number'
  | 'strict bool'
  | 'double'
  | 'hint'
  | 'int'
  | 'long'
  | 'exact long'
  | 'object'
  | 'objects'
  | 'string'
  | 'string or object'
  | 'string or long'
  | 'timestamp'
  | 'uuid';

/** Returned by a reader for a value of another type. */
export const WRONG_TYPE = Symbol('wrong type');

interface TypeRule {
  /** The types as MongoDB's message names them. */
  readonly expected: string;
  /** The value in the form that commands use, or `WRONG_TYPE`. */
  readonly read: (value: unknown) => unknown;
  /** Null is a wrong type too; otherwise it counts as absent. */
  readonly refusesNull?: true;
}

const when =
  (is: (value: unknown) => boolean): ((value: unknown) => unknown) =>
  (value) =>
    is(value) ? value : WRONG_TYPE;

const isString = (value: unknown): boolean => typeof value === 'string';
const isLong = (value: unknown): boolean => bsonTypeOf(value) === 'long';

const wholeNumber =
  (most: number) =>
  (value: unknown): unknown => {
    if (!isNumeric(value)) return WRONG_TYPE;
    const number = toDouble(value);
    return Number.isNaN(number) ? 0 : Math.trunc(Math.max(-most - 1, Math.min(most, number)));
  };

const NUMBERS = '[long, int, decimal, double]';

/** How each type is read. */
export const FIELD_TYPES: Readonly<Record<FieldType, TypeRule>> = {
  any: { expected: 'any', read: (value) => value, refusesNull: true },
  array: { expected: 'array', read: when(Array.isArray) },
  bool: { expected: 'bool', read: when((value) => typeof value === 'boolean') },
  'strict bool': { expected: 'bool', read: when((value) => typeof value === 'boolean'), refusesNull: true },
  'boolean or number': {
    expected: '[bool, long, int, decimal, double]',
    read: (value) => (typeof value === 'boolean' ? value : isNumeric(value) ? isTruthy(value) : WRONG_TYPE),
  },
  double: { expected: NUMBERS, read: (value) => (isNumeric(value) ? toDouble(value) : WRONG_TYPE) },
  hint: { expected: '[string, object]', read: when((value) => isString(value) || isDocument(value)) },
  int: { expected: NUMBERS, read: wholeNumber(0x7fffffff) },
  long: { expected: NUMBERS, read: wholeNumber(Number.MAX_SAFE_INTEGER) },
  'exact long': { expected: 'long', read: when(isLong) },
  object: { expected: 'object', read: when(isDocument) },
  objects: { expected: 'array', read: when(Array.isArray) },
  string: { expected: 'string', read: when(isString) },
  'string or object': {
    expected: '[string, object]',
    read: when((value) => isString(value) || isDocument(value)),
  },
  'string or long': {
    expected: '[string, long, int, decimal, double]',
    read: (value) => (isString(value) ? value : wholeNumber(Number.MAX_SAFE_INTEGER)(value)),
  },
  timestamp: { expected: 'timestamp', read: when((value) => bsonTypeOf(value) === 'timestamp') },
  uuid: { expected: 'binData', read: when((value) => bsonTypeOf(value) === 'binData') },
};
