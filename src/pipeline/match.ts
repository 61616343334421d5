/** Conditions as match documents (SPEC B.2, B.3, B.6, B.7). */
import type { ComponentHop, Condition, RelationHop } from '../query/read-plan.js';
import type { ScalarAttribute } from '../schema/types.js';
import { ALWAYS, and, anyItem, NEVER, noItem, or } from './combine.js';
import { joinMatch } from './join.js';
import { followsParent, localeMatch, parentLocale } from './locale.js';
import { holdsForNulls } from './null-row.js';
import { testMatch } from './operators.js';
import { ENTRY, insideItem, insideSingle, linkOf, type Place } from './place.js';
import type { Rows } from './rows.js';
import type { Scope } from './scope.js';
import { idsMatch } from './semi-join.js';
import type { Match, Stage } from './types.js';

/** The rows of a collection that satisfy `condition`. */
export function rowsThat(condition: Condition, base: Match, scope: Scope): Rows {
  const first: Match[] = [];
  const joins: Stage[] = [];
  const last: Match[] = [];
  for (const part of condition.kind === 'and' ? condition.of : [condition]) {
    const before = joins.length;
    const match = conditionMatch(part, ENTRY, joins, scope);
    (joins.length === before ? first : last).push(match);
  }
  return { base, first: and(first), joins, last: and(last) };
}

function conditionMatch(condition: Condition, place: Place, joins: Stage[], scope: Scope): Match {
  switch (condition.kind) {
    case 'always':
      return ALWAYS;
    case 'never':
      return NEVER;
    case 'and':
      return and(condition.of.map((part) => conditionMatch(part, place, joins, scope)));
    case 'or':
      return or(condition.of.map((part) => conditionMatch(part, place, joins, scope)));
    case 'test':
      return isKey(condition.attribute) && place.certain && condition.test.operator === 'null'
        ? keyIsNull(condition.test.negated)
        : testMatch(
            `${place.prefix}${condition.attribute.name}`,
            condition.test,
            isJson(condition.attribute),
          );
    case 'some':
      return condition.via.kind === 'component'
        ? someItem(condition.via, condition.where, place, joins, scope)
        : someRelated(condition.via, condition.where, place, joins, scope);
  }
}

/** A row that exists has an id. */
const isKey = ({ name, system }: ScalarAttribute): boolean =>
  system && (name === 'id' || name === 'documentId');
const keyIsNull = (negated: boolean): Match => (negated ? ALWAYS : NEVER);
const isJson = ({ type }: ScalarAttribute): boolean => type === 'json' || type === 'blocks';

function someItem(
  { attribute }: ComponentHop,
  where: Condition,
  place: Place,
  joins: Stage[],
  scope: Scope,
): Match {
  // A missing single component reads as nulls by itself.
  if (!attribute.many) return conditionMatch(where, insideSingle(place, attribute.name), joins, scope);
  const path = `${place.prefix}${attribute.name}`;
  const some = anyItem(path, conditionMatch(where, insideItem(place, attribute.name), joins, scope));
  return holdsForNulls(where) ? or([some, noItem(path)]) : some;
}

function someRelated(hop: RelationHop, where: Condition, place: Place, joins: Stage[], scope: Scope): Match {
  const numbers = [scope.next(), scope.next()] as const;
  const link = linkOf(hop, place.prefix);
  const ofParent = localeRule(hop, link.localizations);
  const base = and([localeMatch(hop.target, hop.locale), ofParent?.match ?? ALWAYS]);
  const related = {
    link,
    source: { type: hop.target, status: hop.status },
    rows: rowsThat(where, base, scope),
    numbers,
    orNone: holdsForNulls(where),
  };
  if (!ofParent && !numbers.some((number) => scope.byLookup.has(number))) return idsMatch(related, scope);
  const { name, many } = hop.attribute;
  const joined = joinMatch({ ...related, place, attribute: name, many, let: ofParent?.let });
  joins.push(...joined.stages);
  return joined.match;
}

/** Where each entry's own locale decides which rows are related. */
const localeRule = (hop: RelationHop, localizations: boolean): ReturnType<typeof parentLocale> | null => {
  if (localizations) return parentLocale('$ne');
  return followsParent(hop.target, hop.locale) ? parentLocale('$eq') : null;
};
