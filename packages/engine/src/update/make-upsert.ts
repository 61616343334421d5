import { type Document, ObjectId } from 'bson';
import { fail } from '../errors.js';
import { isOperators } from '../matching/operators.js';
import { isRegex } from '../values/regex.js';
import { isDocument } from '../values/types.js';
import { compileUpdate, type Update, updateKind } from './compile-update.js';
import { Draft } from './draft.js';
import type { UpdateOptions } from './options.js';

/** The values that a condition requires a field to equal: `$all` may have more than one. */
function equalsOf(condition: unknown): readonly unknown[] {
  if (isRegex(condition)) return [];
  if (!isOperators(condition)) return [condition];
  if ('$eq' in condition) return [condition['$eq']];
  const { $in: one, $all: all } = condition;
  const list: readonly unknown[] =
    Array.isArray(one) && one.length === 1 ? one : Array.isArray(all) ? all : [];
  return list.filter((value) => !isRegex(value) && !(isDocument(value) && '$elemMatch' in value));
}

/** Whether one of two paths leads through the other. */
const areNested = (a: string, b: string): boolean => a.startsWith(`${b}.`) || b.startsWith(`${a}.`);

/** Notes the fields that a filter fixes to one value, of those that are requested. Throws NotSingleValueField. */
function noteEqualities(
  filter: Document,
  wanted: (path: string) => boolean,
  out: Map<string, unknown>,
): void {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' || (key === '$or' && Array.isArray(condition) && condition.length === 1)) {
      for (const clause of condition as Document[]) noteEqualities(clause, wanted, out);
    } else if (!key.startsWith('$')) {
      for (const value of equalsOf(condition)) {
        if (!wanted(key)) continue;
        if (out.has(key))
          fail('NotSingleValueField', `cannot infer query fields to set, path '${key}' is matched twice`);
        const other = [...out.keys()].find((path) => areNested(path, key));
        if (other !== undefined) {
          const message = `cannot infer query fields to set, both paths '${key}' and '${other}' are matched`;
          fail('NotSingleValueField', message);
        }
        out.set(key, value);
      }
    }
  }
}

/** A replacement uses only the _id, and that as a whole. */
function isWholeId(path: string): boolean {
  if (path.startsWith('_id.'))
    fail('NotExactValueField', `field at '_id' must be exactly specified, field at sub-path '${path}' found`);
  return path === '_id';
}

/**
 * The document that an upsert inserts if nothing matched: the filter's equalities, the update applied to them, and an _id in
 * front, generated if neither provides one.
 */
export function makeUpsert(filter: Document, update: Update, options: UpdateOptions = {}): Document {
  const fields = new Map<string, unknown>();
  noteEqualities(filter, updateKind(update) === 'replacement' ? isWholeId : () => true, fields);
  const draft = new Draft({});
  for (const [path, value] of fields) draft.set(path.split('.'), value);
  const document = compileUpdate(update, { ...options, filter })(draft.root, true);
  const { _id = new ObjectId(), ...rest } = document;
  return { _id, ...rest };
}
