import { Binary, type Document } from 'bson';
import { fail } from '../errors.js';
import { compareValues } from '../values/compare.js';
import { hashKey } from '../values/hash-key.js';
import { toDouble } from '../values/numbers.js';
import { makeRegex } from '../values/regex.js';
import { parseTypes } from '../values/type-names.js';
import { type BsonType, bsonTypeOf, isDocument, isNumeric } from '../values/types.js';
import { tick } from '../values/work.js';
import type { TestDocument, TestValue } from './match-path.js';
import { allOf } from './operators.js';
import { checkKeyword } from './schema-keywords.js';

/** A keyword of a schema: its operand and the whole schema give a test of a present value. */
type Keyword = (operand: unknown, schema: Document) => TestValue;

const JSON_TYPES: Readonly<Record<string, readonly BsonType[]>> = {
  object: ['object'],
  array: ['array'],
  number: ['int', 'long', 'double', 'decimal'],
  boolean: ['bool'],
  string: ['string'],
  null: ['null'],
};

const asList = (operand: unknown): unknown[] => (Array.isArray(operand) ? operand : [operand]);

function listOf(name: string, operand: unknown): unknown[] {
  if (!Array.isArray(operand) || operand.length === 0) {
    return fail('TypeMismatch', `$jsonSchema keyword '${name}' must be a non-empty array`);
  }
  return operand;
}

function numberOf(name: string, operand: unknown): number {
  if (!isNumeric(operand)) fail('TypeMismatch', `$jsonSchema keyword '${name}' must be a number`);
  return toDouble(operand);
}

/** A test for values of one kind only; a keyword holds for all other values. */
const when =
  <T>(is: (value: unknown) => value is T, test: (value: T) => boolean): TestValue =>
  (value) =>
    !is(value) || test(value);

const isString = (value: unknown): value is string => typeof value === 'string';
const isArray = (value: unknown): value is unknown[] => Array.isArray(value);
const isNumber = (value: unknown): value is unknown => isNumeric(value);

const present = (document: Document): string[] =>
  Object.keys(document).filter((key) => document[key] !== undefined);

const length = (text: string): number => [...text].length;

function testProperties(operand: unknown): TestValue {
  if (!isDocument(operand)) return fail('TypeMismatch', "$jsonSchema keyword 'properties' must be an object");
  const tests = Object.entries(operand).map(([name, schema]) => ({ name, test: compileSchema(schema) }));
  return when(isDocument, (document) =>
    tests.every(({ name, test }) => !Object.hasOwn(document, name) || test(document[name])),
  );
}

function testPatternProperties(operand: unknown): TestValue {
  const tests = Object.entries(operand as Document).map(([pattern, schema]) => ({
    pattern: makeRegex(pattern),
    test: compileSchema(schema),
  }));
  return when(isDocument, (document) =>
    present(document).every((name) =>
      tests.every(({ pattern, test }) => !pattern.test(name) || test(document[name])),
    ),
  );
}

function testAdditionalProperties(operand: unknown, schema: Document): TestValue {
  const known = new Set(Object.keys(schema['properties'] ?? {}));
  const patterns = Object.keys(schema['patternProperties'] ?? {}).map((pattern) => makeRegex(pattern));
  const test: TestValue = typeof operand === 'boolean' ? () => operand : compileSchema(operand);
  return when(isDocument, (document) =>
    present(document).every(
      (name) => known.has(name) || patterns.some((pattern) => pattern.test(name)) || test(document[name]),
    ),
  );
}

function testItems(operand: unknown): TestValue {
  if (!Array.isArray(operand)) {
    const test = compileSchema(operand);
    return when(isArray, (items) => items.every(test));
  }
  const tests = operand.map(compileSchema);
  return when(isArray, (items) => tests.every((test, i) => i >= items.length || test(items[i])));
}

function testAdditionalItems(operand: unknown, schema: Document): TestValue {
  const places = schema['items'];
  if (!Array.isArray(places)) return () => true;
  const test: TestValue = typeof operand === 'boolean' ? () => operand : compileSchema(operand);
  return when(isArray, (items) => items.slice(places.length).every(test));
}

function testDependencies(operand: unknown): TestValue {
  const rules = Object.entries(operand as Document).map(([name, rule]) => ({
    name,
    test: Array.isArray(rule) ? KEYWORDS['required']?.(rule, {}) : compileSchema(rule),
  }));
  return when(isDocument, (document) =>
    rules.every(({ name, test }) => !Object.hasOwn(document, name) || test?.(document) !== false),
  );
}

/** A value whose documents have their members in one order. */
function ordered(value: unknown): unknown {
  tick();
  if (Array.isArray(value)) return value.map(ordered);
  if (!isDocument(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, ordered(value[name])]),
  );
}

/** What is the same for values that differ in the order of members only. */
const unorderedKey = (value: unknown): unknown => hashKey(ordered(value));

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  bsonType: (operand) => {
    const types = parseTypes(operand);
    return (value) => types.has(bsonTypeOf(value));
  },
  type: (operand) => {
    const types = new Set(
      asList(operand).flatMap(
        (name) => JSON_TYPES[String(name)] ?? fail('BadValue', `Unknown type name alias: ${name}`),
      ),
    );
    return (value) => types.has(bsonTypeOf(value));
  },
  enum: (operand) => {
    const values = new Set(listOf('enum', operand).map(unorderedKey));
    return (value) => values.has(unorderedKey(value));
  },
  required: (operand) => {
    const names = listOf('required', operand) as string[];
    return when(isDocument, (document) => names.every((name) => Object.hasOwn(document, name)));
  },
  properties: testProperties,
  patternProperties: testPatternProperties,
  additionalProperties: testAdditionalProperties,
  dependencies: testDependencies,
  minProperties: (operand) =>
    when(isDocument, (document) => present(document).length >= numberOf('minProperties', operand)),
  maxProperties: (operand) =>
    when(isDocument, (document) => present(document).length <= numberOf('maxProperties', operand)),
  items: testItems,
  additionalItems: testAdditionalItems,
  minItems: (operand) => when(isArray, (items) => items.length >= numberOf('minItems', operand)),
  maxItems: (operand) => when(isArray, (items) => items.length <= numberOf('maxItems', operand)),
  uniqueItems: (operand) =>
    when(isArray, (items) => operand !== true || new Set(items.map(unorderedKey)).size === items.length),
  minLength: (operand) => when(isString, (text) => length(text) >= numberOf('minLength', operand)),
  maxLength: (operand) => when(isString, (text) => length(text) <= numberOf('maxLength', operand)),
  pattern: (operand) => {
    const pattern = makeRegex(String(operand));
    return when(isString, (text) => pattern.test(text));
  },
  minimum: (operand, schema) =>
    when(isNumber, (value) => compareValues(value, operand) >= (schema['exclusiveMinimum'] === true ? 1 : 0)),
  maximum: (operand, schema) =>
    when(
      isNumber,
      (value) => compareValues(value, operand) <= (schema['exclusiveMaximum'] === true ? -1 : 0),
    ),
  exclusiveMinimum: () => () => true,
  exclusiveMaximum: () => () => true,
  multipleOf: (operand) => when(isNumber, (value) => toDouble(value) % numberOf('multipleOf', operand) === 0),
  allOf: (operand) => allOf(listOf('allOf', operand).map(compileSchema)),
  anyOf: (operand) => {
    const tests = listOf('anyOf', operand).map(compileSchema);
    return (value) => tests.some((test) => test(value));
  },
  oneOf: (operand) => {
    const tests = listOf('oneOf', operand).map(compileSchema);
    return (value) => tests.filter((test) => test(value)).length === 1;
  },
  not: (operand) => {
    const test = compileSchema(operand);
    return (value) => !test(value);
  },
  title: () => () => true,
  description: () => () => true,
  // Clients encrypt; here it can be seen only that they did.
  encrypt: () => (value) => value instanceof Binary && value.sub_type === Binary.SUBTYPE_ENCRYPTED,
  encryptMetadata: () => () => true,
};

function compileSchema(schema: unknown): TestValue {
  if (!isDocument(schema)) return fail('TypeMismatch', '$jsonSchema must be an object');
  return allOf(
    Object.entries(schema).map(([name, operand]): TestValue => {
      const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
      checkKeyword(name, operand, schema);
      return keyword?.(operand, schema) ?? fail('FailedToParse', `Unknown $jsonSchema keyword: ${name}`);
    }),
  );
}

/** `$jsonSchema`: MongoDB's dialect of draft 4. */
export function compileJsonSchema(operand: unknown): TestDocument {
  return compileSchema(operand) as TestDocument;
}
