import { type Viewer, visibleNamed } from '../../query/attributes.js';
import { targetOf } from '../../schema/find.js';
import type { Model, Schema } from '../../schema/types.js';
import { isObject } from '../../values/plain-object.js';
import { hasVersions, numberIn, type RowsOf } from './v4-rows.js';

type Raw = Record<string, unknown>;

interface Names {
  readonly schema: Schema;
  readonly rowOf: RowsOf;
  /** Who asks. */
  readonly viewer: Viewer;
}

/** Filters on drafts with documents and locales in the place of ids: a draft has a number of its own here. */
export function draftFilters(names: Names, model: Model, filters: unknown): unknown {
  if (Array.isArray(filters)) return filters.map((one) => draftFilters(names, model, one));
  if (!isObject(filters)) return filters;
  const tests: unknown[] = [];
  const rest: Raw = {};
  for (const [key, value] of Object.entries(filters)) {
    const attribute = visibleNamed(model, key, names.viewer);
    if (key.startsWith('$')) rest[key] = draftFilters(names, model, value);
    else if (key === 'id' && model.modelType === 'contentType' && hasVersions(model))
      tests.push(...idTests(names, model.uid, value));
    else {
      const target = attribute && targetOf(names.schema, attribute);
      rest[key] = target ? draftFilters(names, target, value) : value;
    }
  }
  if (tests.length === 0) return rest;
  return { $and: [...(Object.keys(rest).length > 0 ? [rest] : []), ...tests] };
}

const NEGATIVE = new Set(['$ne', '$notIn']);
const BY_ID = new Set(['$eq', '$in', ...NEGATIVE]);

/** Other operators compare numbers, which are those of the drafts. */
function idTests(names: Names, uid: string, test: unknown): unknown[] {
  const tests = isObject(test) ? Object.entries(test) : [['$eq', test] as const];
  return tests.map(([operator, value]) => {
    const given = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [value];
    const ids = given.map(numberIn);
    if (!BY_ID.has(operator) || ids.includes(null)) return { id: { [operator]: value } };
    const rows = ids.map((id) => rowTest(names, uid, id ?? 0));
    return NEGATIVE.has(operator) ? { $not: { $or: rows } } : { $or: rows };
  });
}

function rowTest({ rowOf }: Names, uid: string, id: number): unknown {
  const row = rowOf(uid, id);
  if (!row) return { id: { $eq: id } };
  const { documentId, locale } = row;
  return { documentId: { $eq: documentId }, ...(locale !== null && { locale: { $eq: locale } }) };
}
