/** Tests entries that are not stored yet against the filters with which writes read entries. */
import { errors } from '../../errors.js';
import { isBson } from '../../values/bson.js';
import { comparableText } from '../../values/comparable-text.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { Entry } from './changes.js';
import type { EntryFilter } from './entries.js';

/** Whether MongoDB would find the entry with the filter. Throws a 400 for an operator that writes do not use. */
export const matches = (entry: Entry, filter: EntryFilter): boolean =>
  Object.entries(filter).every(([key, condition]) => {
    if (key === '$and') return listOf(condition).every((part) => matches(entry, part));
    if (key === '$or') return listOf(condition).some((part) => matches(entry, part));
    if (key.startsWith('$')) throw unknownOperator(key);
    return passes(valuesAt(entry, key.split('.')), condition);
  });

const listOf = (value: unknown): readonly EntryFilter[] => (Array.isArray(value) ? value : []);

type Operator = (values: readonly unknown[], operand: unknown) => boolean;

const equals: Operator = (values, operand) => values.some((value) => isSame(value, operand));
const isIn: Operator = (values, operand) => listOf(operand).some((one) => equals(values, one));

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: equals,
  $ne: (values, operand) => !equals(values, operand),
  $in: isIn,
  $nin: (values, operand) => !isIn(values, operand),
  $elemMatch: (values, operand) =>
    values.some((list) => Array.isArray(list) && list.some((item) => isItem(item, operand))),
};

const isItem = (item: unknown, filter: unknown): boolean =>
  isPlainObject(item) && isPlainObject(filter) && matches(item, filter);

/** @param values of a path: a list and its members count as one each */
function passes(values: readonly unknown[], condition: unknown): boolean {
  if (!isPlainObject(condition) || !Object.keys(condition).some((key) => key.startsWith('$')))
    return equals(values, condition);
  return Object.entries(condition).every(([name, operand]) => {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (!operator) throw unknownOperator(name);
    return operator(values, operand);
  });
}

const unknownOperator = (name: string) =>
  errors.application('transaction-read', `A transaction cannot look for what it has written with ${name}`);

/** The values at a path, as a filter sees them: it goes through lists, and a missing value is undefined. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return Array.isArray(value) ? [value, ...value] : [value];
  if (Array.isArray(value))
    return value.filter(isPlainObject).flatMap((item) => valuesAt(item, [name, ...rest]));
  return isPlainObject(value) ? valuesAt(value[name], rest) : [undefined];
}

function isSame(value: unknown, wanted: unknown): boolean {
  if (value === null || value === undefined) return wanted === null || wanted === undefined;
  return isScalar(value) && isScalar(wanted) && comparableText(value) === comparableText(wanted);
}

const isScalar = (value: unknown): boolean =>
  value !== null && (typeof value !== 'object' || value instanceof Date || isBson(value));
