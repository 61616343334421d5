import type { Document } from 'bson';
import { fail } from '../errors.js';
import { isDocument } from '../values/types.js';
import { tick } from '../values/work.js';
import { compileFilter } from './compile-filter.js';
import type { TestValue } from './match-path.js';
import { allOf, compileOperators, compileValue, ELEMENT, isOperators, type Target } from './operators.js';
import type { FilterOptions } from './options.js';
import { type RefusedConditions, refuseConditions } from './refuse-conditions.js';

const LOGICAL = ['$and', '$or', '$nor', '$where', '$expr'];

/** An array as a document of its positions, as `$elemMatch` sees an array inside an array. */
const asDocument = (value: unknown): Document | undefined => {
  if (isDocument(value)) return value;
  return Array.isArray(value) ? { ...value } : undefined;
};

/** Conditions that apply only to whole documents. */
const TOP_ONLY: RefusedConditions = { $expr: 'BadValue', $jsonSchema: 'BadValue', $text: 'BadValue' };

/** `$elemMatch`: an array with an element that satisfies all conditions. */
export function testElements(operand: unknown, options: FilterOptions): TestValue {
  if (!isDocument(operand)) return fail('BadValue', '$elemMatch needs an Object');
  refuseConditions(operand, TOP_ONLY);
  const first = Object.keys(operand)[0];
  if (isOperators(operand) && !LOGICAL.includes(first ?? '')) {
    const test = compileOperators(ELEMENT, operand, options);
    return (value) =>
      Array.isArray(value) &&
      value.some((item) => {
        tick();
        return test(item);
      });
  }
  const test = compileFilter(operand, options);
  return (value) =>
    Array.isArray(value) &&
    value.some((item) => {
      tick();
      const document = asDocument(item);
      return document !== undefined && test(document);
    });
}

const isElemMatch = (item: unknown): item is { $elemMatch: unknown } =>
  isDocument(item) && Object.keys(item)[0] === '$elemMatch';

/** `$all`: every listed value, pattern or `$elemMatch` matches; an empty list matches nothing. */
export function testAll(target: Target, operand: unknown, options: FilterOptions): TestValue {
  if (!Array.isArray(operand)) return fail('BadValue', '$all needs an array');
  if (operand.length === 0) return () => false;
  const elemMatches = operand.filter(isElemMatch).length;
  if (elemMatches > 0 && elemMatches < operand.length) {
    fail('BadValue', 'no $ expressions in $all');
  }
  return allOf(
    operand.map((item) => {
      if (isElemMatch(item)) return compileOperators(target, item, options);
      if (isOperators(item)) return fail('BadValue', 'no $ expressions in $all');
      return compileValue(target, item, options);
    }),
  );
}
