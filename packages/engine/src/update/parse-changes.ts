import type { Document } from 'bson';
import { fail } from '../errors.js';
import { checkArgument } from '../expressions/argument.js';
import { isArrayIndex } from '../values/paths.js';
import { shellText } from '../values/shell-text.js';
import { bsonTypeOf, isDocument } from '../values/types.js';
import { ARRAY_OPERATORS } from './array-operators.js';
import { FIELD_OPERATORS } from './field-operators.js';
import type { Change, UpdateOperator, UpdateOptions } from './options.js';

const OPERATORS: Readonly<Record<string, UpdateOperator>> = { ...FIELD_OPERATORS, ...ARRAY_OPERATORS };

/** Whether a component of a path refers to elements: `$`, `$[]` or `$[name]`. */
const isPositional = (part: string): boolean => part === '$' || part.startsWith('$[');

function checkPath(path: string): void {
  const parts = path.split('.');
  if (path === '' || parts.includes('')) {
    fail('EmptyFieldName', `The update path '${path}' contains an empty field name, which is not allowed.`);
  }
  if (isPositional(parts[0] as string)) {
    fail('BadValue', `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  }
  if (parts.filter((part) => part === '$').length > 1)
    fail('BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`);
}

function renameOf(from: string, to: unknown): Change[] {
  if (typeof to !== 'string')
    return fail('BadValue', `The 'to' field for $rename must be a string: ${from}: ${shellText(to)}`);
  checkPath(to);
  if (from === to) fail('BadValue', `The source and target field for $rename must differ: ${from}: "${to}"`);
  if (`${to}.`.startsWith(`${from}.`) || `${from}.`.startsWith(`${to}.`))
    fail(
      'BadValue',
      `The source and target field for $rename must not be on the same path: ${from}: "${to}"`,
    );
  for (const path of [from, to]) {
    if (path.split('.').some(isPositional))
      fail(
        'BadValue',
        `The ${path === from ? 'source' : 'destination'} field for $rename may not be dynamic: ${path}`,
      );
  }
  return [{ path: to, change: (value) => value, creates: true, needsWay: true, renameFrom: from }];
}

function changesOf(name: string, fields: unknown, options: UpdateOptions): Change[] {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined && name !== '$rename') {
    const expected = 'Expected a valid update modifier or pipeline-style update specified as an array';
    fail('FailedToParse', `Unknown modifier: ${name}. ${expected}`);
  }
  if (!isDocument(fields)) {
    const example = `For example: {$mod: {<field>: ...}} not {${name}: ${shellText(fields)}}`;
    const type = bsonTypeOf(fields);
    return fail('FailedToParse', `Modifiers operate on fields but we found type ${type} instead. ${example}`);
  }
  return Object.entries(fields).flatMap(([path, operand]) => {
    checkPath(path);
    if (operator === undefined) return renameOf(path, operand);
    const { takes, neverCreates = false, anyWay = false } = operator;
    if (takes !== undefined) checkArgument(takes, operand, name, path);
    const change = operator.compile(operand, path, options);
    return [{ path, change, creates: !neverCreates, needsWay: !anyWay }];
  });
}

/** Fields are changed in the order of their names, array positions by number. */
function comparePaths(a: string, b: string): number {
  const left = a.split('.');
  const right = b.split('.');
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const [x, y] = [left[i] as string, right[i] as string];
    if (x === y) continue;
    if (isArrayIndex(x) && isArrayIndex(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}

const refuseConflict = (path: string, at: string): never =>
  fail('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`);

/** Under one array, one path may not refer to a field while another refers to elements with `$[]`. */
function checkElements(paths: readonly string[]): void {
  const kinds = new Map<string, boolean>();
  for (const path of paths) {
    const parts = path.split('.');
    for (let i = 1; i < parts.length; i++) {
      const head = parts.slice(0, i).join('.');
      const isElements = (parts[i] as string).startsWith('$[');
      if ((kinds.get(head) ?? isElements) !== isElements) {
        refuseConflict(path, head);
      }
      kinds.set(head, isElements);
    }
  }
}

function checkConflicts(paths: readonly string[]): void {
  const sorted = [...paths].sort(comparePaths);
  for (let i = 1; i < sorted.length; i++) {
    const [before, path] = [sorted[i - 1] as string, sorted[i] as string];
    if (path === before || path.startsWith(`${before}.`)) {
      refuseConflict(path, before);
    }
  }
}

/** Reads an update document with operators. Throws MongoDB's code for an invalid one. */
export function parseChanges(update: Document, options: UpdateOptions): Change[] {
  const changes = Object.entries(update).flatMap(([name, fields]) => changesOf(name, fields, options));
  const paths = changes.flatMap(({ path, renameFrom }) =>
    renameFrom === undefined ? [path] : [path, renameFrom],
  );
  checkConflicts(paths);
  checkElements(paths);
  return changes.sort((a, b) => comparePaths(a.path, b.path));
}
