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
import type { Check } from './schema-checks.js';
import * as check from './schema-checks.js';
import { allOf } from './tests.js';

/** Creates a test of a present value from a keyword's operand and the whole schema. */
type CompileKeyword = (operand: unknown, schema: Document) => TestValue;

/** A keyword of a schema. */
interface Keyword {
  /** Checks its operand. Throws TypeMismatch or FailedToParse. */
  readonly check: Check;
  readonly test: CompileKeyword;
}

/** Requires nothing of a value. */
const HOLDS: TestValue = () => true;

const keyword = (check: Check, test: CompileKeyword = () => HOLDS): Keyword => ({ check, test });

const JSON_TYPES: Readonly<Record<string, readonly BsonType[]>> = {
  object: ['object'],
  array: ['array'],
  number: ['int', 'long', 'double', 'decimal'],
  boolean: ['bool'],
  string: ['string'],
  null: ['null'],
};

/** A test for values of one kind only; a keyword accepts all other values. */
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
  const tests = Object.entries(operand as Document).map(([name, schema]) => ({
    name,
    test: compileSchema(schema),
  }));
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

function testRequired(operand: unknown): TestValue {
  const names = operand as string[];
  return when(isDocument, (document) => names.every((name) => Object.hasOwn(document, name)));
}

function testDependencies(operand: unknown): TestValue {
  const rules = Object.entries(operand as Document).map(([name, rule]) => ({
    name,
    test: Array.isArray(rule) ? testRequired(rule) : compileSchema(rule),
  }));
  return when(isDocument, (document) =>
    rules.every(({ name, test }) => !Object.hasOwn(document, name) || test(document)),
  );
}

/** A value with the keys of its documents in a fixed order. */
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

/** A form that is the same for values that differ only in the order of keys. */
const unorderedKey = (value: unknown): unknown => hashKey(ordered(value));

const testSchemas = (operand: unknown): TestValue[] => (operand as unknown[]).map(compileSchema);

/** A test for the minimum size of values of one kind. */
const atLeast =
  <T>(is: (value: unknown) => value is T, size: (value: T) => number): CompileKeyword =>
  (operand) =>
    when(is, (value) => size(value) >= toDouble(operand));

/** The same for the maximum size. */
const atMost =
  <T>(is: (value: unknown) => value is T, size: (value: T) => number): CompileKeyword =>
  (operand) =>
    when(is, (value) => size(value) <= toDouble(operand));

const members = (document: Document): number => present(document).length;
const places = (list: readonly unknown[]): number => list.length;

/** Every keyword, with the check of its operand. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  bsonType: keyword(check.types, (operand) => {
    const types = parseTypes(operand);
    return (value) => types.has(bsonTypeOf(value));
  }),
  type: keyword(check.types, (operand) => {
    const types = new Set(
      [operand]
        .flat()
        .flatMap((name) => JSON_TYPES[String(name)] ?? fail('BadValue', `Unknown type name alias: ${name}`)),
    );
    return (value) => types.has(bsonTypeOf(value));
  }),
  enum: keyword(check.enumeration, (operand) => {
    const values = new Set((operand as unknown[]).map(unorderedKey));
    return (value) => values.has(unorderedKey(value));
  }),
  required: keyword(check.names, testRequired),
  properties: keyword(check.members, testProperties),
  patternProperties: keyword(check.members, testPatternProperties),
  additionalProperties: keyword(check.schemaOrBoolean, testAdditionalProperties),
  dependencies: keyword(check.dependencies, testDependencies),
  minProperties: keyword(check.nonNegativeInteger, atLeast(isDocument, members)),
  maxProperties: keyword(check.nonNegativeInteger, atMost(isDocument, members)),
  items: keyword(check.items, testItems),
  additionalItems: keyword(check.schemaOrBoolean, testAdditionalItems),
  minItems: keyword(check.nonNegativeInteger, atLeast(isArray, places)),
  maxItems: keyword(check.nonNegativeInteger, atMost(isArray, places)),
  uniqueItems: keyword(check.boolean, (operand) =>
    when(isArray, (items) => operand !== true || new Set(items.map(unorderedKey)).size === items.length),
  ),
  minLength: keyword(check.nonNegativeInteger, atLeast(isString, length)),
  maxLength: keyword(check.nonNegativeInteger, atMost(isString, length)),
  pattern: keyword(check.text, (operand) => {
    const pattern = makeRegex(String(operand));
    return when(isString, (text) => pattern.test(text));
  }),
  minimum: keyword(check.number, (operand, schema) =>
    when(isNumber, (value) => compareValues(value, operand) >= (schema['exclusiveMinimum'] === true ? 1 : 0)),
  ),
  maximum: keyword(check.number, (operand, schema) =>
    when(
      isNumber,
      (value) => compareValues(value, operand) <= (schema['exclusiveMaximum'] === true ? -1 : 0),
    ),
  ),
  exclusiveMinimum: keyword(check.beside('minimum')),
  exclusiveMaximum: keyword(check.beside('maximum')),
  multipleOf: keyword(check.multipleOf, (operand) =>
    when(isNumber, (value) => toDouble(value) % toDouble(operand) === 0),
  ),
  allOf: keyword(check.schemas, (operand) => allOf(testSchemas(operand))),
  anyOf: keyword(check.schemas, (operand) => {
    const tests = testSchemas(operand);
    return (value) => tests.some((test) => test(value));
  }),
  oneOf: keyword(check.schemas, (operand) => {
    const tests = testSchemas(operand);
    return (value) => tests.filter((test) => test(value)).length === 1;
  }),
  not: keyword(check.schema, (operand) => {
    const test = compileSchema(operand);
    return (value) => !test(value);
  }),
  title: keyword(check.text),
  description: keyword(check.text),
  // Clients encrypt; the server can only check that they did.
  encrypt: keyword(
    check.encrypt,
    () => (value) => value instanceof Binary && value.sub_type === Binary.SUBTYPE_ENCRYPTED,
  ),
  encryptMetadata: keyword(check.schema),
};

function compileSchema(schema: unknown): TestValue {
  if (!isDocument(schema)) return fail('TypeMismatch', '$jsonSchema must be an object');
  return allOf(
    Object.entries(schema).map(([name, operand]): TestValue => {
      const known = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
      if (known === undefined) return fail('FailedToParse', `Unknown $jsonSchema keyword: ${name}`);
      known.check(name, operand, schema);
      return known.test(operand, schema);
    }),
  );
}

/** `$jsonSchema`: MongoDB's dialect of draft 4. */
export function compileJsonSchema(operand: unknown): TestDocument {
  return compileSchema(operand) as TestDocument;
}
