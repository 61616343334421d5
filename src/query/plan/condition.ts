/** Simplified conditions: constants never occur inside a group. */
import type { Condition } from '../read-plan.js';

export const always: Condition = Object.freeze({ kind: 'always' });
export const never: Condition = Object.freeze({ kind: 'never' });

export const and = (of: readonly Condition[]): Condition => join('and', of, never, always);

export const or = (of: readonly Condition[]): Condition => join('or', of, always, never);

/** `absorbing` decides the group (`never` in an AND); `identity` is dropped. */
function join(
  kind: 'and' | 'or',
  of: readonly Condition[],
  absorbing: Condition,
  identity: Condition,
): Condition {
  if (of.some((condition) => condition.kind === absorbing.kind)) return absorbing;
  const parts = of.filter((condition) => condition.kind !== identity.kind);
  const [first] = parts;
  if (first === undefined) return identity;
  return parts.length === 1 ? first : { kind, of: parts };
}

/** A missing row counts as one whose values are all null, so a constant inside is the constant itself. */
export function some(via: Via, where: Condition): Condition {
  return where.kind === 'always' || where.kind === 'never' ? where : { kind: 'some', via, where };
}

type Via = Extract<Condition, { kind: 'some' }>['via'];

/** The relations and components that a condition goes through, also inside of others. */
export const hopsOfCondition = (condition: Condition): readonly Via[] => {
  if ('of' in condition) return condition.of.flatMap(hopsOfCondition);
  return condition.kind === 'some' ? [condition.via, ...hopsOfCondition(condition.where)] : [];
};
