import type { Document } from 'bson';
import { fail } from '../errors.js';
import { member, setMember } from '../values/paths.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument, isNullish } from '../values/types.js';
import { tick } from '../values/work.js';
import { anArray, anObject } from './argument.js';
import { namedOperand, type Operator, type Operators, unary, variadic } from './operator.js';

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
  const keys = Object.keys(item);
  if (keys.length !== 2)
    fail(
      40392,
      `$arrayToObject requires an object keys of 'k' and 'v'. Found incorrect number of keys:${keys.length}`,
    );
  if (!('k' in item) || !('v' in item))
    fail(
      40393,
      `$arrayToObject requires an object with keys 'k' and 'v'. Missing either or both keys from: ${shellText(item)}`,
    );
  if (typeof item['k'] !== 'string')
    fail(
      40394,
      `$arrayToObject requires an object with keys 'k' and 'v', where the value of 'k' must be of type string. Found type: ${bsonTypeOf(item['k'])}`,
    );
  return [item['k'], item['v']];
}

function arrayToObject(value: readonly unknown[]): unknown {
  const first = value[0];
  if (value.length > 0 && !Array.isArray(first) && !isDocument(first)) {
    fail(40398, `Unrecognised input type format for $arrayToObject: ${bsonTypeOf(first)}`);
  }
  const out: Document = {};
  for (const item of value) {
    tick();
    const [k, v] = pairOf(item, Array.isArray(first));
    if (String(k).includes('\0'))
      fail(Array.isArray(item) ? 4940400 : 4940401, 'Key field cannot contain an embedded null byte');
    setMember(out, String(k), v);
  }
  return out;
}

/** Codes for a `field` that is a path, that is worked out, and that is not a string. */
type NameCodes = readonly [path: number, worked: number, type: number];

/** The name that `$getField`, `$setField` and `$unsetField` speak of, written as a constant string. */
function constantName(name: string, field: unknown, [path, worked, type]: NameCodes): string {
  const literal = isDocument(field) ? (field['$const'] ?? field['$literal']) : undefined;
  if (literal === undefined && (isDocument(field) || Array.isArray(field)))
    return fail(
      worked,
      `${name} requires 'field' to evaluate to a constant, but got a non-constant argument`,
    );
  const key = literal ?? field;
  if (typeof key !== 'string')
    return fail(type, `${name} requires 'field' to evaluate to type String, but got ${bsonTypeOf(key)}`);
  if (literal === undefined && key.startsWith('$'))
    return fail(path, `'${key}' is a field path reference which is not allowed in this context.`);
  return key;
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
  const key = constantName(name, field, [5654600, 5654601, 5654602]);
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
    const key = constantName(name, field, [4161108, 4161106, 4161107]);
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
  $objectToArray: unary(
    (document) => Object.entries(document).flatMap(([k, v]) => (v === undefined ? [] : [{ k, v }])),
    anObject(40390, '$op requires a document input, found:'),
  ),
  $arrayToObject: unary(arrayToObject, anArray(40386, '$op requires an array input, found:')),
  $getField: getField,
  $setField: changeField(['field', 'value', 'input']),
  $unsetField: changeField(['field', 'input']),
};
