import type { Document } from 'bson';
import { fail } from '../errors.js';
import { member, setMember } from '../values/paths.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument, isNullish } from '../values/types.js';
import { tick } from '../values/work.js';
import { type Argument, anArray, anObject, aString, checkArgument, refused, worded } from './argument.js';
import {
  declared,
  type Members,
  type Operator,
  type Operators,
  readMembers,
  unary,
  variadic,
} from './operator.js';
import type { Evaluate, Scope } from './scope.js';

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

const INPUT = '$op requires a consistent input format. Elements must all be arrays or all be objects.';
const PAIR = anArray(40396, `${INPUT} Array was detected, now found: $type`);
const PAIR_KEY = aString(
  40395,
  '$op requires an array of key-value pairs, where the key must be of type string. Found key type: $type',
);
const ENTRY = anObject(40391, `${INPUT} Object was detected, now found: $type`);
const KEYS = "$op requires an object with keys 'k' and 'v'";
const ENTRY_KEY = aString(40394, `${KEYS}, where the value of 'k' must be of type string. Found type: $type`);

function pairOf(item: unknown, asPairs: boolean, name: string): readonly [string, unknown] {
  if (asPairs) {
    checkArgument(PAIR, item, name);
    const [key, value] = item;
    if (item.length !== 2)
      fail(40397, `${name} requires an array of size 2 arrays,found array of size: ${item.length}`);
    checkArgument(PAIR_KEY, key, name);
    return [key, value];
  }
  checkArgument(ENTRY, item, name);
  const { length } = Object.keys(item);
  if (length !== 2)
    fail(40392, `${name} requires an object keys of 'k' and 'v'. Found incorrect number of keys:${length}`);
  const { k, v } = item;
  if (!('k' in item) || !('v' in item))
    fail(40393, `${worded(KEYS, { op: name })}. Missing either or both keys from: ${shellText(item)}`);
  checkArgument(ENTRY_KEY, k, name);
  return [k, v];
}

function arrayToObject(value: readonly unknown[], name: string): unknown {
  const first = value[0];
  if (value.length > 0 && !Array.isArray(first) && !isDocument(first)) {
    fail(40398, `Unrecognised input type format for $arrayToObject: ${bsonTypeOf(first)}`);
  }
  const out: Document = {};
  for (const item of value) {
    tick();
    const [k, v] = pairOf(item, Array.isArray(first), name);
    if (k.includes('\0'))
      fail(Array.isArray(item) ? 4940400 : 4940401, 'Key field cannot contain an embedded null byte');
    setMember(out, k, v);
  }
  return out;
}

/**
 * The requirements for `field` in `$getField`: a path is rejected with one code, computed values and other types with two more.
 */
interface FieldName {
  readonly path: number;
  readonly worked: number;
  readonly type: Argument<string>;
}

const fieldName = (path: number, worked: number, type: number): FieldName => ({
  path,
  worked,
  type: aString(type, "$op requires 'field' to evaluate to type String, but got $type"),
});

/** The name in `$getField`, `$setField` and `$unsetField`, written as a constant string. */
function constantName(name: string, field: unknown, { path, worked, type }: FieldName): string {
  const literal = isDocument(field) ? (field['$const'] ?? field['$literal']) : undefined;
  if (literal === undefined && (isDocument(field) || Array.isArray(field)))
    fail(worked, `${name} requires 'field' to evaluate to a constant, but got a non-constant argument`);
  const key: unknown = literal ?? field;
  checkArgument(type, key, name);
  if (literal === undefined && key.startsWith('$'))
    return fail(path, `'${key}' is a field path reference which is not allowed in this context.`);
  return key;
}

const GET_FIELD: Members = { required: ['field', 'input'], unknown: 3041701, missing: [3041702, 3041703] };
const NAME_TO_GET = fieldName(5654600, 5654601, 5654602);

const getField: Operator = (operand, scope, name) => {
  const isFull = isDocument(operand) && ('field' in operand || 'input' in operand);
  const { field, input } = isFull
    ? readMembers(name, operand, GET_FIELD)
    : { field: operand, input: '$$CURRENT' };
  const key = constantName(name, field, NAME_TO_GET);
  const source = scope.compile(input);
  return (root) => {
    const value = source(root);
    if (isNullish(value)) return value;
    return isDocument(value) ? member(value, key) : undefined;
  };
};

const CHANGE = { object: 4161100, unknown: 4161101 };
const SET_FIELD: Members = {
  ...CHANGE,
  required: ['field', 'value', 'input'],
  missing: [4161102, 4161103, 4161109],
};
const UNSET_FIELD: Members = { ...CHANGE, required: ['field', 'input'], missing: [4161102, 4161109] };
const NAME_TO_CHANGE = fieldName(4161108, 4161106, 4161107);
const CHANGED = anObject(4161105, "$op requires 'input' to evaluate to type Object");

function changeField(spec: Document, scope: Scope, name: string): Evaluate {
  const key = constantName(name, spec['field'], NAME_TO_CHANGE);
  const source = scope.compile(spec['input']);
  const next = 'value' in spec ? scope.compile(spec['value']) : () => undefined;
  return (root) => {
    const object = source(root);
    if (!isDocument(object)) return refused([CHANGED], [object], name);
    const changed = next(root);
    const out: Document = {};
    for (const name of Object.keys(object)) {
      if (name !== key) setMember(out, name, object[name]);
      else if (changed !== undefined) setMember(out, name, changed);
    }
    if (changed !== undefined && !Object.hasOwn(object, key)) setMember(out, key, changed);
    return out;
  };
}

/** Operators on documents. */
export const OBJECTS: Operators = {
  $mergeObjects: variadic(mergeObjects),
  $objectToArray: unary(
    (document) => Object.entries(document).flatMap(([k, v]) => (v === undefined ? [] : [{ k, v }])),
    anObject(40390, '$op requires a document input, found: $type'),
  ),
  $arrayToObject: unary(arrayToObject, anArray(40386, '$op requires an array input, found: $type')),
  $getField: getField,
  $setField: declared(SET_FIELD, changeField),
  $unsetField: declared(UNSET_FIELD, changeField),
};
