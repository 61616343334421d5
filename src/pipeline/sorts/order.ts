/**
 * Sorting: null first when ascending, each entry once. Through a relation or list, the first related row in
 * sort order determines the place. Only that value is looked up for the sort; the page is populated
 * afterwards.
 */

import { plainPath } from '../../query/plain-path.js';
import type { ComponentHop, RelationHop, SortKey } from '../../query/read-plan.js';
import { rowPath } from '../../schema/stored/paths.js';
import { rowsThat } from '../filters/match.js';
import { reduceItems, referencesAt, referencesIn } from '../relations/item-expressions.js';
import { currentRowKey, linkedKeys, linkedRule } from '../relations/linked-rows.js';
import { computedKeys } from '../relations/local-keys.js';
import type { Scope } from '../relations/scope.js';
import { ALWAYS, allMatch } from '../rows/combine.js';
import { localeMatch, type ParentRule, parentRule } from '../rows/locale.js';
import { inForms } from '../rows/other-forms.js';
import { type JoinFields, joinFieldsOf } from '../rows/place.js';
import { rowStages } from '../rows/rows.js';
import { sourcesSeen } from '../sources/sources-of.js';
import { insideList, prefixOf, stepInto } from '../step.js';
import type { Expression, Source, Stage, Step } from '../types.js';

export function sortStages(keys: readonly SortKey[], source: Source, scope: Scope): readonly Stage[] {
  const before: Stage[] = [];
  const order: Record<string, 1 | -1> = {};
  let sortsByRows = false;
  for (const key of keys) {
    const path = plainPath(key);
    if (path !== null) {
      order[path] ??= key.direction;
      continue;
    }
    const field = `_s${scope.next()}`;
    const { stages, value, rows } = sortValue(key, field, source, scope);
    before.push(...stages);
    if (rows !== undefined && !sortsByRows) {
      sortsByRows = true;
      order[rows] = key.direction;
    } else {
      before.push({ $set: { [field]: value } });
      order[field] = key.direction;
    }
  }
  order[rowPath(source.type)] ??= 1;
  return [...before, { $sort: order }];
}

interface Value {
  readonly stages: readonly Stage[];
  readonly value: Expression;
  /**
   * The path of the values in the looked-up rows. `$sort` itself uses the least or greatest member of a list,
   * and null for an empty one, as `first` does. This saves copying every entry, but only one key of a sort
   * may go through a list.
   */
  readonly rows?: string;
}

function sortValue(
  { via, attribute, direction }: SortKey,
  field: string,
  source: Source,
  scope: Scope,
): Value {
  const at = via.findIndex((hop) => hop.kind === 'relation');
  const steps = stepsOf(via.slice(0, at < 0 ? via.length : at));
  const hop = via[at];
  if (hop?.kind !== 'relation') return { stages: [], value: ownValue(steps, attribute.stored, direction) };
  const inner = { via: via.slice(at + 1), attribute, direction };
  return relatedValue({ hop, steps, inner, field, source, scope });
}

function ownValue(steps: readonly Step[], stored: string, direction: 1 | -1): Expression {
  const leaf = (base: string): Expression => ({ $ifNull: [`${base}${stored}`, null] });
  // Wrapped in a document so that a JSON list is compared as one value; not in a list, since a sort must not
  // go through two lists.
  const value = reduceItems(steps, leaf, (values) => first(values, direction));
  return insideList(steps) ? value : { v: value };
}

interface Through {
  readonly hop: RelationHop;
  /** The steps to the relation. */
  readonly steps: readonly Step[];
  /** The rest of the sort key, from the related row. */
  readonly inner: SortKey;
  readonly field: string;
  readonly source: Source;
  readonly scope: Scope;
}

/** The related rows of each source are put in a lookup field of their own. */
function relatedValue(through: Through): Value {
  const { hop, steps, inner, field, source } = through;
  const fields = sourcesSeen(hop, source.status).map((target, index) => ({
    target,
    as: `${field}_${index}`,
  }));
  const lookups = fields.flatMap(({ target, as }) => lookup(through, target, as));
  const rows: Expression = { $concatArrays: fields.map(({ as }) => `$${as}`) };
  if (!insideList(steps))
    return {
      stages: lookups,
      value: first(valuesOf(rows), inner.direction),
      ...(fields.length === 1 ? { rows: `${field}_0.value` } : {}),
    };
  const ofItem = (base: string): Expression => {
    const stored = hop.linked
      ? linkedKeys(base, hop.attribute, hop.linked.otherwise)
      : referencesAt(base, hop.attribute);
    const references = inForms(stored, hop.attribute.link);
    const found = { $filter: { input: rows, as: 'row', cond: { $in: ['$$row.documentId', references] } } };
    return first(valuesOf(found), inner.direction);
  };
  return {
    stages: lookups,
    value: reduceItems(steps, ofItem, (values) => first(values, inner.direction)),
  };
}

function lookup({ hop, steps, inner, scope }: Through, source: Source, as: string): readonly Stage[] {
  const { attribute } = hop;
  const link = joinFieldsOf(hop, prefixOf(steps));
  const { ofParent, pipeline } = valueRows({ hop, inner, source, steps }, scope);
  const computed = insideList(steps) ? inForms(referencesIn(steps, attribute), link) : computedKeys(link);
  const stage = {
    $lookup: {
      from: source.collection,
      localField: computed === null ? link.local : as,
      foreignField: link.foreign,
      ...(ofParent ? { let: ofParent.let } : {}),
      pipeline,
      as,
    },
  };
  return computed === null ? [stage] : [{ $set: { [as]: computed } }, stage];
}

/**
 * The target rows as `{ documentId, value }`, where `documentId` is the key that refers to them, and the
 * comparison with the entry.
 */
export function valueRows({ hop, inner, source, steps }: ValuesOf, scope: Scope): ValueRows {
  const { target, locale } = hop;
  const link = joinFieldsOf(hop, '');
  const inItems = insideList(steps);
  const ofParent = (inItems ? null : linkedRule(hop, prefixOf(steps))) ?? parentRule(target, locale, link);
  const match = allMatch([localeMatch(target, locale), ofParent?.match ?? ALWAYS]);
  const path = plainPath(inner);
  const value =
    path === null ? sortValue(inner, `_s${scope.next()}`, source, scope) : { stages: [], value: `$${path}` };
  return {
    ofParent,
    pipeline: [
      ...rowStages(rowsThat({ kind: 'always' }, source, match, scope)),
      ...value.stages,
      {
        $project: {
          _id: 0,
          documentId: hop.linked && inItems ? currentRowKey : keyOf(link),
          value: value.value,
        },
      },
    ],
  };
}

interface ValuesOf extends Pick<Through, 'hop' | 'steps' | 'inner'> {
  /** Of the targets. */
  readonly source: Source;
}

interface ValueRows {
  readonly ofParent: ParentRule | null;
  readonly pipeline: readonly Stage[];
}

const keyOf = ({ foreign }: JoinFields): Expression => (foreign === 'documentId' ? 1 : `$${foreign}`);

const valuesOf = (rows: Expression): Expression => ({
  $map: { input: rows, as: 'row', in: { $ifNull: ['$$row.value', null] } },
});

/**
 * The value that comes first. A missing row counts as null, which comes first when ascending and last when
 * descending.
 */
const first = (values: Expression, direction: 1 | -1): Expression =>
  direction === -1
    ? { $ifNull: [{ $max: values }, null] }
    : {
        $let: {
          vars: { values },
          in: { $cond: [{ $in: [null, '$$values'] }, null, { $ifNull: [{ $min: '$$values' }, null] }] },
        },
      };

const stepsOf = (via: readonly (RelationHop | ComponentHop)[]): readonly Step[] =>
  via.flatMap((hop) => (hop.kind === 'component' ? [stepInto(hop.attribute)] : []));
