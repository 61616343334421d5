/** Compiles conditions to match documents. */

import { errors } from '../../errors.js';
import type { ComponentHop, Condition, RelationHop } from '../../query/read-plan.js';
import { rowPath } from '../../schema/stored/paths.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { memberOf } from '../../values/once-per.js';
import { callersOwn } from '../relations/callers-own.js';
import { markItems } from '../relations/item-expressions.js';
import { joinMatch } from '../relations/join.js';
import { linkedRule } from '../relations/linked-rows.js';
import { type Scope, seeingAll } from '../relations/scope.js';
import { type CompiledRelated, idsMatch, type RelatedMatch } from '../relations/semi-join.js';
import { ALWAYS, allMatch, anyItem, anyItemAt, anyMatch, isAlways, NEVER, noItem } from '../rows/combine.js';
import { localeMatch, parentRule } from '../rows/locale.js';
import { holdsForNull, holdsForNulls } from '../rows/null-row.js';
import {
  ENTRY,
  type FieldPath,
  insideItem,
  insideSingle,
  type JoinFields,
  joinFieldsOf,
  stepsToItem,
} from '../rows/place.js';
import { type Rows, rowStages } from '../rows/rows.js';
import { sourceStages } from '../sources/source-stages.js';
import { sourcesSeen } from '../sources/sources-of.js';
import { insideList } from '../step.js';
import { type Match, Slot, type Source, type Stage } from '../types.js';
import { adoptedMatch } from './adopted-test.js';
import { isJson, testMatch, textExpression, textMatch, textReading } from './operators.js';
import { valueTest } from './test-value.js';

/** Collects the stages that the match needs, for the rows of one source. */
interface MatchContext {
  readonly source: Source;
  readonly joins: Stage[];
  readonly scope: Scope;
}

/** The rows of `source` that the caller may read and that satisfy `condition`. */
export function rowsThat(condition: Condition, source: Source, base: Match, scope: Scope): Rows {
  const visible = scope.visible(source.type);
  const rows = rowsWhere(condition, source, base, scope);
  if (visible === null) return rows;
  const own = rowsWhere(visible, source, base, seeingAll(scope));
  const hidden = isAlways(own.last) ? own.joins : [...own.joins, { $match: own.last }];
  return { ...rows, base: allMatch([rows.base, own.first]), among: [...rows.among, ...hidden] };
}

/** The stages that leave the rows of a source that the caller may read. */
export const visibleStages = (source: Source, scope: Scope): readonly Stage[] =>
  scope.visible(source.type) === null ? [] : rowStages(rowsThat({ kind: 'always' }, source, ALWAYS, scope));

/** The rows that satisfy a condition, whoever asks. */
function rowsWhere(condition: Condition, source: Source, base: Match, scope: Scope): Rows {
  const joins: Stage[] = [];
  const target = { source, joins, scope };
  const first: Match[] = [];
  const last: Match[] = [];
  for (const part of condition.kind === 'and' ? condition.of : [condition]) {
    const before = joins.length;
    const match = conditionMatch(part, ENTRY, target);
    (joins.length === before ? first : last).push(match);
  }
  return {
    base: allMatch([base, source.match]),
    among: sourceStages(source, scope),
    first: allMatch(first),
    joins,
    last: allMatch(last),
  };
}

function conditionMatch(condition: Condition, place: FieldPath, target: MatchContext): Match {
  switch (condition.kind) {
    case 'always':
      return ALWAYS;
    case 'never':
      return NEVER;
    case 'and':
      return allMatch(condition.of.map((part) => conditionMatch(part, place, target)));
    case 'or':
      return anyMatch(condition.of.map((part) => conditionMatch(part, place, target)));
    case 'test':
      return testAt(condition, place, target);
    case 'some':
      return condition.via.kind === 'component'
        ? someItem(condition.via, condition.where, place, target)
        : someRelated(condition.via, condition.where, place, target);
  }
}

/** `id` and `documentId`, which every existing row has. */
const isKey = ({ name, system }: ScalarAttribute): boolean =>
  system && (name === 'id' || name === 'documentId');
const keyIsNull = (negated: boolean): Match => (negated ? ALWAYS : NEVER);

function testAt({ attribute, test }: TestCondition, place: FieldPath, target: MatchContext): Match {
  const path = `${place.prefix}${attribute.stored}`;
  if (isKey(attribute) && place.certain && test.operator === 'null') return keyIsNull(test.negated);
  if (target.source.nulls.includes(attribute)) return holdsForNull(test) ? ALWAYS : NEVER;
  switch (textReading(attribute, test)) {
    case 'stored':
      if (attribute.adopted) return adoptedMatch(path, attribute, test, isJson(attribute));
      return testMatch(path, test, isJson(attribute), attribute.unique);
    case 'expression':
      return insideList(place.steps)
        ? markedText({ attribute, test }, place, target)
        : textMatch(path, attribute, test);
    case 'process':
      return checkedIds({ attribute, test }, place, target);
  }
}

type TestCondition = Pick<Extract<Condition, { kind: 'test' }>, 'attribute' | 'test'>;

/**
 * Expressions cannot be used in `$elemMatch`, so a stage marks each item with the result of the expression.
 */
function markedText(
  { attribute, test }: TestCondition,
  place: FieldPath,
  { joins, scope }: MatchContext,
): Match {
  const field = `_t${scope.next()}`;
  const expressionAt = (base: string) =>
    textExpression(`${base}${place.prefix}${attribute.stored}`, attribute, test);
  joins.push(markItems(place.steps, field, expressionAt));
  return { [field]: { $eq: true } };
}

/**
 * Matches the ids of entries, or of component items, whose JSON passes the test; a query before the read
 * finds them.
 */
function checkedIds(
  { attribute, test }: TestCondition,
  place: FieldPath,
  { source, scope }: MatchContext,
): Match {
  const path = `${place.prefix}${attribute.stored}`;
  // Items of adopted lists have no ids, so this test could not be combined with others on the same item.
  if (attribute.adopted && insideList(place.steps)) throw notInItems(attribute.name);
  const number = scope.next();
  const field = insideList(place.steps) ? 'id' : rowPath(source.type);
  const items = stepsToItem(place);
  const present = testMatch(path, { operator: 'null', values: [], negated: true }, true);
  const stages = [{ $match: allMatch([source.match, anyItemAt(items, present)]) }];
  const check = { items, path: path.split('.'), passes: valueTest(attribute, test) };
  scope.semiJoins.push({ number, source, stages, field, needs: [], check });
  return { [field]: { $in: new Slot(number) } };
}

const notInItems = (name: string) =>
  errors.validation(
    'json-search-in-items',
    `Text in ${name} cannot be searched: it is JSON in a list of documents without ids`,
    { key: name, path: name, source: 'query', param: 'filters' },
  );

function someItem(
  { attribute }: ComponentHop,
  where: Condition,
  place: FieldPath,
  target: MatchContext,
): Match {
  // The values of a missing single component are null.
  if (!attribute.many) return conditionMatch(where, insideSingle(place, attribute), target);
  const path = `${place.prefix}${attribute.stored}`;
  const some = anyItem(path, conditionMatch(where, insideItem(place, attribute), target));
  return holdsForNulls(where) ? anyMatch([some, noItem(path)]) : some;
}

function someRelated(hop: RelationHop, where: Condition, place: FieldPath, target: MatchContext): Match {
  const link = joinFieldsOf(hop, place.prefix);
  const own = callersOwn(hop, where);
  if (own) return { [link.local]: { $eq: own } };
  const found = sourcesSeen(hop, target.source.status).map((source) =>
    relatedIn(hop, source, { where, link, place, target }),
  );
  return anyMatch([...found.map(({ some }) => some), allMatch(found.map(({ none }) => none))]);
}

interface RelatedFilter {
  readonly where: Condition;
  readonly link: JoinFields;
  readonly place: FieldPath;
  readonly target: MatchContext;
}

function relatedIn(hop: RelationHop, source: Source, filter: RelatedFilter): RelatedMatch {
  const { related, ofParent, byIds } = compiledRelated(hop, source, filter);
  if (byIds) return byIds;
  const { place, target } = filter;
  const { attribute, linked } = hop;
  const { stages, ...match } = joinMatch({ ...related, place, attribute, linked, let: ofParent?.let });
  target.joins.push(...stages);
  return match;
}

function compiledRelated(hop: RelationHop, source: Source, filter: RelatedFilter): CompiledRelated {
  const { where, link } = filter;
  const { related } = filter.target.scope;
  const known = memberOf(related, hop, () => []);
  const before = known.find(
    (one) =>
      one.where === where && isSame(one.related.source, source) && one.related.link.local === link.local,
  );
  if (before) return before;
  const compiled = compileRelated(hop, source, filter);
  known.push(compiled);
  return compiled;
}

const isSame = (one: Source, { status, collection }: Source): boolean =>
  one.status === status && one.collection === collection;

function compileRelated(
  hop: RelationHop,
  source: Source,
  { where, link, place, target }: RelatedFilter,
): CompiledRelated {
  const { scope } = target;
  const numbers = [scope.next(), scope.next()] as const;
  const inItems = insideList(place.steps);
  const ofParent =
    (inItems ? null : linkedRule(hop, place.prefix)) ?? parentRule(hop.target, hop.locale, link);
  const base = allMatch([localeMatch(hop.target, hop.locale), ofParent?.match ?? ALWAYS]);
  const rows = rowsThat(where, source, base, scope);
  const related = { link, source, rows, numbers, orNone: holdsForNulls(where) };
  const byIds = !ofParent && !hop.linked && !numbers.some((number) => scope.byLookup.has(number));
  return { where, related, ofParent, ...(byIds && { byIds: idsMatch(related, scope.semiJoins) }) };
}
