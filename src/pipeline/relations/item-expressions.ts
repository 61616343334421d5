/**
 * Expressions on component items. Servers differ in how paths traverse arrays, so lists are mapped by `$map`
 * and flattened by `$reduce`.
 */

import { dbRefPath } from '../../schema/stored/paths.js';
import type { MediaAttribute, RelationAttribute } from '../../schema/types.js';
import { documentAt, insideList, itemsAt, listAt } from '../step.js';
import type { Expression, Stage, Step } from '../types.js';
import { dbRefKeys } from './local-keys.js';

/** The references at `attribute` in every item at `steps`, as one flat list. */
export const referencesIn = (steps: readonly Step[], attribute: ReferenceAttribute, root = '$'): Expression =>
  mapItems(
    steps,
    (base) => {
      const keys = referencesAt(base, attribute);
      return attribute.many ? keys : only(keys, base, attribute);
    },
    attribute.many,
    root,
  );

/** A relation or media attribute. */
export type ReferenceAttribute = Pick<RelationAttribute | MediaAttribute, 'stored' | 'many' | 'adopted'>;

/** The references of one item, as a list. */
export function referencesAt(base: string, attribute: ReferenceAttribute): Expression {
  const path = dbRefPath(attribute.stored);
  if (path !== null) return dbRefKeys(`${base}${path}`);
  return attribute.many ? listAt(`${base}${attribute.stored}`, attribute) : [`${base}${attribute.stored}`];
}

const only = (keys: Expression, base: string, { stored }: ReferenceAttribute): Expression =>
  dbRefPath(stored) === null ? `${base}${stored}` : { $arrayElemAt: [keys, 0] };

/**
 * The values of `leaf` in every item at `steps`, as one flat list, or a single value if no step enters a
 * list. `leaf` gets the path of its model with a trailing dot; `lists` says that it returns lists. `root` is
 * the path of the entry.
 */
export function mapItems(
  steps: readonly Step[],
  leaf: (base: string) => Expression,
  lists: boolean,
  root: string,
): Expression {
  const depth = steps.filter(({ list }) => list).length + (lists ? 1 : 0);
  return Array.from({ length: Math.max(depth - 1, 0) }).reduce<Expression>(
    flatten,
    walk(root, steps, { leaf }),
  );
}

/** As `mapItems`, but each list is reduced to one value, innermost first, including empty lists. */
export const reduceItems = (
  steps: readonly Step[],
  leaf: (base: string) => Expression,
  reduce: (values: Expression) => Expression,
): Expression => walk('$', steps, { leaf, reduce });

interface Gathering {
  readonly leaf: (base: string) => Expression;
  readonly reduce?: (values: Expression) => Expression;
}

function walk(base: string, steps: readonly Step[], gathering: Gathering, level = 0): Expression {
  const { leaf, reduce = (values) => values } = gathering;
  const [step, ...rest] = steps;
  if (step === undefined) return leaf(base);
  if (!step.list) return walk(`${base}${step.stored}.`, rest, gathering, level);
  const item = `i${level}`;
  const input = itemsOf(`${base}${step.stored}`, step);
  return reduce({ $map: { input, as: item, in: walk(`$$${item}.`, rest, gathering, level + 1) } });
}

const itemsOf = (path: string, step: Step): Expression =>
  step.component === undefined
    ? itemsAt(path, step)
    : {
        $filter: {
          input: itemsAt(path, step),
          as: 'item',
          cond: { $eq: ['$$item.__component', { $literal: step.component }] },
        },
      };

export const flatten = (lists: Expression): Expression => ({
  $reduce: { input: lists, initialValue: [], in: { $concatArrays: ['$$value', '$$this'] } },
});

/**
 * A stage that sets `field` in every item at `steps`; `expressionAt` returns its value, given the path of the
 * item. Creates no items.
 */
export function markItems(
  steps: readonly Step[],
  field: string,
  expressionAt: (base: string) => Expression,
): Stage {
  const root = steps[0]?.stored ?? '';
  return { $set: { [root]: marked('$', steps, { field, expressionAt }) } };
}

interface Mark {
  readonly field: string;
  readonly expressionAt: (base: string) => Expression;
}

function marked(base: string, steps: readonly Step[], mark: Mark, level = 0): Expression {
  const [step, ...rest] = steps;
  const path = `${base}${step?.stored ?? ''}`;
  const listLeft = insideList(rest);
  const within = (item: string): Expression => {
    const next = rest[0];
    const [change, value] =
      listLeft && next
        ? [next.stored, marked(`${item}.`, rest, mark, level + 1)]
        : [mark.field, mark.expressionAt(`${item}.`)];
    return withField(item, change.split('.'), value, step?.adopted ?? false);
  };
  if (step?.list) {
    const item = `i${level}`;
    const input = step.adopted ? itemsAt(path, step) : path;
    return { $map: { input, as: item, in: within(`$$${item}`) } };
  }
  return { $cond: [{ $eq: [{ $ifNull: [path, null] }, null] }, null, within(path)] };
}

/** The document at `path` with the value at an inner path set. */
function withField(
  path: string,
  [first = '', ...rest]: readonly string[],
  value: Expression,
  adopted: boolean,
): Expression {
  const inner = rest.length === 0 ? value : withField(`${path}.${first}`, rest, value, adopted);
  return { $mergeObjects: [adopted ? documentAt(path) : path, { [first]: inner }] };
}
