/**
 * Expressions over component items. A path that walks through an array is read differently by different servers, so lists are
 * walked by `$map` and flattened by `$reduce`.
 */
import type { Expression, Stage, Step } from './types.js';

/** The references at `attribute` inside every item that `steps` lead to, as one flat list. */
export const gather = (steps: readonly Step[], attribute: string, many: boolean, root = '$'): Expression =>
  mapItems(steps, (base) => (many ? orEmpty(`${base}${attribute}`) : `${base}${attribute}`), many, root);

/**
 * What `leaf` says of every item that `steps` lead to, as one flat list; without a list on the way, what it says of the one
 * place. `leaf` gets the path of its model, ending with a dot; `lists` tells that it gives lists. `root` is the path of the entry.
 */
export function mapItems(
  steps: readonly Step[],
  leaf: (base: string) => Expression,
  lists = false,
  root = '$',
): Expression {
  const depth = steps.filter(({ list }) => list).length + (lists ? 1 : 0);
  return Array.from({ length: Math.max(depth - 1, 0) }).reduce<Expression>(flatten, walk(root, steps, leaf));
}

/** As `mapItems`, but every list on the way becomes one value, innermost first; an empty one counts for itself. */
export const reduceItems = (
  steps: readonly Step[],
  leaf: (base: string) => Expression,
  reduce: (values: Expression) => Expression,
): Expression => walk('$', steps, leaf, reduce);

function walk(
  base: string,
  steps: readonly Step[],
  leaf: (base: string) => Expression,
  reduce: (values: Expression) => Expression = (values) => values,
  level = 0,
): Expression {
  const [step, ...rest] = steps;
  if (step === undefined) return leaf(base);
  if (!step.list) return walk(`${base}${step.name}.`, rest, leaf, reduce, level);
  const item = `i${level}`;
  const input = itemsOf(`${base}${step.name}`, step);
  return reduce({ $map: { input, as: item, in: walk(`$$${item}.`, rest, leaf, reduce, level + 1) } });
}

const orEmpty = (path: string): Expression => ({ $ifNull: [path, []] });

const itemsOf = (path: string, step: Step): Expression =>
  step.component === undefined
    ? orEmpty(path)
    : {
        $filter: {
          input: orEmpty(path),
          as: 'item',
          cond: { $eq: ['$$item.__component', { $literal: step.component }] },
        },
      };

export const flatten = (lists: Expression): Expression => ({
  $reduce: { input: lists, initialValue: [], in: { $concatArrays: ['$$value', '$$this'] } },
});

/**
 * A stage that writes `field` into every item that `steps` lead to; `valueAt` gives its value from the path of the item. Nothing
 * is made where there is no item.
 */
export function markItems(
  steps: readonly Step[],
  field: string,
  valueAt: (base: string) => Expression,
): Stage {
  const root = steps[0]?.name ?? '';
  return { $set: { [root]: marked('$', steps, field, valueAt, 0) } };
}

function marked(
  base: string,
  steps: readonly Step[],
  field: string,
  valueAt: (base: string) => Expression,
  level: number,
): Expression {
  const [step, ...rest] = steps;
  const path = `${base}${step?.name ?? ''}`;
  const listLeft = rest.some(({ list }) => list);
  const within = (item: string): Expression => {
    const next = rest[0];
    const change =
      listLeft && next
        ? { [next.name]: marked(`${item}.`, rest, field, valueAt, level + 1) }
        : { [field]: valueAt(`${item}.`) };
    return { $mergeObjects: [item, change] };
  };
  if (step?.list) {
    const item = `i${level}`;
    return { $map: { input: path, as: item, in: within(`$$${item}`) } };
  }
  return { $cond: [{ $eq: [{ $ifNull: [path, null] }, null] }, null, within(path)] };
}
