import type { Document } from 'bson';
import { fail } from '../errors.js';
import { member, setMember } from '../values/paths.js';
import { bsonTypeOf, isDocument } from '../values/types.js';
import {
  constantOf,
  isNullish,
  namedOperand,
  type Operator,
  type Operators,
  unary,
  variadic,
} from './operator.js';
import type { Scope } from './scope.js';

function mergeObjects(values: Iterable<unknown>, name: string): unknown {
  const out: Document = {};
  for (const value of values) {
    if (isNullish(value)) continue;
    if (!isDocument(value))
      return fail(40400, `${name} requires object inputs, but input is of type ${bsonTypeOf(value)}`);
    for (const key of Object.keys(value)) setMember(out, key, value[key]);
  }
  return out;
}

function objectToArray(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (!isDocument(value))
    return fail(40390, `$objectToArray requires a document input, found: ${bsonTypeOf(value)}`);
  return Object.entries(value).flatMap(([k, v]) => (v === undefined ? [] : [{ k, v }]));
}

function pairOf(item: unknown, asPairs: boolean): [unknown, unknown] {
  if (asPairs) {
    if (!Array.isArray(item))
      return fail(
        40396,
        `$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Array was detected, now found: ${bsonTypeOf(item)}`,
      );
    if (item.length !== 2)
      fail(40397, `$arrayToObject requires an array of size 2 arrays,found array of size: ${item.length}`);
    if (typeof item[0] !== 'string')
      fail(
        40395,
        `$arrayToObject requires an array of key-value pairs, where the key must be of type string. Found key type: ${bsonTypeOf(item[0])}`,
      );
    return [item[0], item[1]];
  }
  if (!isDocument(item))
    return fail(
      40391,
      `$arrayToObject requires a consistent input format. Elements must all be arrays or all be objects. Object was detected, now found: ${bsonTypeOf(item)}`,
    );
  if (Object.keys(item).length !== 2 || !('k' in item) || !('v' in item)) {
    fail(40392, "$arrayToObject requires an object with keys 'k' and 'v'");
  }
  if (typeof item['k'] !== 'string')
    fail(
      40394,
      `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${bsonTypeOf(item['k'])}`,
    );
  return [item['k'], item['v']];
}

function arrayToObject(value: unknown): unknown {
  if (isNullish(value)) return null;
  if (!Array.isArray(value))
    return fail(40386, `$arrayToObject requires an array input, found: ${bsonTypeOf(value)}`);
  const first = value[0];
  if (value.length > 0 && !Array.isArray(first) && !isDocument(first)) {
    fail(40398, `Unrecognised input type format for $arrayToObject: ${bsonTypeOf(first)}`);
  }
  const out: Document = {};
  for (const item of value) {
    const [k, v] = pairOf(item, Array.isArray(first));
    if (String(k).includes('\0')) fail(4940400, 'Key field cannot contain an embedded null byte');
    setMember(out, String(k), v);
  }
  return out;
}

/** The name that `$getField`, `$setField` and `$unsetField` speak of; a constant string. */
function fieldName(name: string, field: unknown, scope: Scope): string {
  const known = constantOf(scope.compile(field));
  if (known === undefined)
    return fail(
      4161106,
      `${name} requires 'field' to evaluate to a constant, but got a non-constant argument`,
    );
  if (typeof known.value !== 'string') {
    return fail(
      4161107,
      `${name} requires 'field' to evaluate to type String, but got ${bsonTypeOf(known.value)}`,
    );
  }
  return known.value;
}

/** The name that `$getField` is given, written as a constant string. Throws 5654600, 5654601 or 5654602. */
function constantName(field: unknown): string {
  const literal = isDocument(field) ? (field['$const'] ?? field['$literal']) : undefined;
  if (literal === undefined && (isDocument(field) || Array.isArray(field)))
    return fail(
      5654601,
      "$getField requires 'field' to evaluate to a constant, but got a non-constant argument",
    );
  const name = literal ?? field;
  if (typeof name !== 'string')
    return fail(
      5654602,
      `$getField requires 'field' to evaluate to type String, but got ${bsonTypeOf(name)}`,
    );
  if (literal === undefined && name.startsWith('$'))
    return fail(5654600, `'${name}' is a field path reference which is not allowed in this context.`);
  return name;
}

const getField: Operator = (operand, scope, name) => {
  const isFull = isDocument(operand) && ('field' in operand || 'input' in operand);
  const { field, input = '$$CURRENT' } = isFull
    ? namedOperand(name, operand, {
        required: ['field', 'input'],
        unknown: 3041701,
        missing: [3041702, 3041703],
      })
    : { field: operand, input: '$$CURRENT' };
  const key = constantName(field);
  const source = scope.compile(input);
  return (root) => {
    const value = source(root);
    if (isNullish(value)) return value;
    return isDocument(value) ? member(value, key) : undefined;
  };
};

/** Codes for absent arguments. */
const SET_FIELD: Readonly<Record<string, number>> = { field: 4161102, value: 4161103, input: 4161109 };

function changeField(required: readonly string[]): Operator {
  return (operand, scope, name) => {
    const { field, input, value } = namedOperand(name, operand, {
      required,
      object: 4161100,
      unknown: 4161101,
      missing: required.map((key) => SET_FIELD[key] as number),
    });
    const key = fieldName(name, field, scope);
    const source = scope.compile(input);
    const next = required.includes('value') ? scope.compile(value) : () => undefined;
    return (root) => {
      const object = source(root);
      if (isNullish(object)) return null;
      if (!isDocument(object)) return fail(4161105, `${name} requires 'input' to evaluate to type Object`);
      const changed = next(root);
      const out: Document = {};
      for (const name of Object.keys(object)) {
        if (name !== key) setMember(out, name, object[name]);
        else if (changed !== undefined) setMember(out, name, changed);
      }
      if (changed !== undefined && !Object.hasOwn(object, key)) setMember(out, key, changed);
      return out;
    };
  };
}

/** Operators on documents. */
export const OBJECTS: Operators = {
  $mergeObjects: variadic(mergeObjects),
  $objectToArray: unary(objectToArray),
  $arrayToObject: unary(arrayToObject),
  $getField: getField,
  $setField: changeField(['field', 'input', 'value']),
  $unsetField: changeField(['field', 'input']),
};
