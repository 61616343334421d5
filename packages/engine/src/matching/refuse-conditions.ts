import { type ErrorName, fail } from '../errors.js';
import { isDocument } from '../values/types.js';

/** Operators that are not allowed in a filter in some context, and the error for each. */
export type RefusedConditions = Readonly<Record<string, ErrorName | number>>;

/** Conditions from which no document can be made. */
export const NOT_IN_UPSERTS: RefusedConditions = { $expr: 'QueryFeatureNotAllowed' };

/** Conditions that say nothing about an element. */
export const NOT_OF_ELEMENTS: RefusedConditions = {
  $expr: 'QueryFeatureNotAllowed',
  $text: 'BadValue',
  $where: 'BadValue',
  $near: 'BadValue',
  $nearSphere: 'BadValue',
  $geoNear: 'BadValue',
};

/** Throws for a filter that uses, at any depth, an operator that is not allowed. */
export function refuseConditions(filter: unknown, refused: RefusedConditions): void {
  if (Array.isArray(filter)) for (const clause of filter) refuseConditions(clause, refused);
  if (!isDocument(filter)) return;
  for (const [name, condition] of Object.entries(filter)) {
    const code = Object.hasOwn(refused, name) ? refused[name] : undefined;
    if (code !== undefined) fail(code, `${name} is not allowed in this context`);
    if (name !== '$eq' && name !== '$expr') refuseConditions(condition, refused);
  }
}
