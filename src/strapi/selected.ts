import { schemaAttribute } from '../query/attributes.js';
import type { Model, Schema } from '../schema/types.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { targetNamed } from './where.js';

/** The attributes that `select` names; null: it names none, so all are read. */
export function selectedNames(select: unknown): readonly string[] | null {
  if (select === undefined || select === null || select === '*') return null;
  const names = (Array.isArray(select) ? select : [select]).map(String);
  return names.length === 0 ? null : names;
}

/**
 * Rows with what `select` names and what is populated, as the query engine returns them: the documentId is not there
 * unless it is named, nor the id, unless something is populated.
 */
export function onlySelected(rows: unknown, asked: PlainObject, model: Model, schema: Schema): unknown {
  if (Array.isArray(rows)) return rows.map((row: unknown) => onlySelected(row, asked, model, schema));
  if (!isPlainObject(rows)) return rows;
  const { select, populate } = asked;
  const names = selectedNames(select);
  const parts = isPlainObject(populate) ? populate : {};
  const isEmpty = populate === undefined || Object.keys(Object(populate)).length === 0;
  const isShown = (name: string): boolean =>
    names === null ||
    names.includes(name) ||
    (name === 'id' && (populate === true || !isEmpty)) ||
    (schemaAttribute(model, name)?.kind ?? 'scalar') !== 'scalar';
  return Object.fromEntries(
    Object.entries(rows).flatMap(([name, value]): [string, unknown][] => {
      if (!isShown(name)) return [];
      const target = targetNamed(name, model, schema);
      const inner = parts[name];
      return [[name, target && isPlainObject(inner) ? onlySelected(value, inner, target, schema) : value]];
    }),
  );
}
