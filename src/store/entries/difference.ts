import { serialize } from 'bson';
import type { Document } from 'mongodb';
import { oncePer } from '../../values/once-per.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { Entry, WriteStep } from './changes.js';

/** The fields of an entry that an update sets or removes, with their values before and after. */
interface Difference {
  readonly before: Entry;
  readonly after: Entry;
}

/** Whether an update would interpret a field name as a path or an operator. */
const isPath = (name: string): boolean => name === '' || name.includes('.') || name.startsWith('$');

/** The names of the fields that differ, but for `_id`. */
function differing(before: Entry, after: Entry): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete('_id');
  return [...names].filter((name) => !isSame(before[name], after[name]));
}

/** Whether two states of a document have the same fields, in any order. */
export const isSameEntry = (before: Entry, after: Entry): boolean => differing(before, after).length === 0;

/**
 * The difference between two states of a document by field; null if there is none, or if an update cannot
 * name one of the fields.
 */
function differenceOf(before: Entry, after: Entry): Difference | null {
  const changed = differing(before, after);
  if (changed.length === 0 || changed.some(isPath)) return null;
  return { before: pick(before, changed), after: pick(after, changed) };
}

/**
 * The fields that a step changes in a document that stays; computed once, for the journal and for the
 * command.
 */
export const differenceIn = oncePer(
  ({ before, after }: Pick<WriteStep, 'before' | 'after'>): Difference | null =>
    before && after ? differenceOf(before, after) : null,
);

/** The update that changes one side into the other. */
export function updateFor({ before, after }: Difference): Document {
  const gone = Object.keys(before).filter((name) => !(name in after));
  return {
    ...(Object.keys(after).length > 0 && { $set: after }),
    ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((name) => [name, ''])) }),
  };
}

const pick = (entry: Entry, names: readonly string[]): Entry =>
  Object.fromEntries(names.filter((name) => entry[name] !== undefined).map((name) => [name, entry[name]]));

/** Whether two values are stored identically; types that only BSON has are compared by their bytes. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((member, at) => isSame(member, b[at]));
  if (isPlainObject(a) && isPlainObject(b)) return isSameObject(a, b);
  return Buffer.from(serialize({ v: a })).equals(serialize({ v: b }));
}

/** The order of members matters, since it is stored; undefined members are ignored, since they are not. */
function isSameObject(a: Entry, b: Entry): boolean {
  const [names, others] = [a, b].map((one) => Object.keys(one).filter((name) => one[name] !== undefined));
  return (
    names?.length === others?.length &&
    names?.every((name, at) => name === others?.[at] && isSame(a[name], b[name])) === true
  );
}
