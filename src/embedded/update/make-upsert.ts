import { type Document, ObjectId } from 'bson';
import { fail } from '../errors.js';
import { isOperators } from '../matching/operators.js';
import { isRegex } from '../values/regex.js';
import { isDocument } from '../values/types.js';
import { compileUpdate, type Update, updateKind } from './compile-update.js';
import { Draft } from './draft.js';
import type { UpdateOptions } from './options.js';

function equalityOf(condition: unknown): { value: unknown } | undefined {
  if (isRegex(condition)) return undefined;
  if (!isOperators(condition)) return { value: condition };
  if ('$eq' in condition) return { value: condition['$eq'] };
  for (const name of ['$in', '$all']) {
    const list = condition[name];
    const [only] = Array.isArray(list) && list.length === 1 ? list : [];
    if (only !== undefined && !isRegex(only) && !(isDocument(only) && '$elemMatch' in only))
      return { value: only };
  }
  return undefined;
}

/** The fields that a filter holds to one value. */
function equalities(filter: Document, out: Map<string, unknown>): Map<string, unknown> {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' || (key === '$or' && Array.isArray(condition) && condition.length === 1)) {
      for (const clause of condition as Document[]) equalities(clause, out);
      continue;
    }
    const equality = key.startsWith('$') ? undefined : equalityOf(condition);
    if (equality === undefined) continue;
    if (out.has(key)) {
      fail('NotSingleValueField', `cannot infer query fields to set, path '${key}' is matched twice`);
    }
    out.set(key, equality.value);
  }
  return out;
}

/**
 * The document that an upsert inserts where nothing matched: the filter's equalities, the update on top, and an _id
 * in front, made up where neither gives one.
 */
export function makeUpsert(filter: Document, update: Update, options: UpdateOptions = {}): Document {
  const fields = equalities(filter, new Map());
  const draft = new Draft({});
  const whole = updateKind(update) === 'replacement';
  for (const [path, value] of fields) if (!whole || path === '_id') draft.set(path.split('.'), value);
  const document = compileUpdate(update, { ...options, filter })(draft.root, true);
  const { _id = new ObjectId(), ...rest } = document;
  return { _id, ...rest };
}
