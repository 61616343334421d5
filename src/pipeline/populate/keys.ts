/**
 * The keys that connect an entry and its populated rows: as expressions for lookups in sets, and as functions
 * on the rows returned.
 */
import type { RelationTarget } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import { presentIn } from '../../values/absent.js';
import { flatten, mapItems, referencesIn } from '../relations/item-expressions.js';
import { prefixOf } from '../step.js';
import { type Doc, documentsOf, type Expression, type KeysOf, type Step } from '../types.js';
import { PAGE } from './assemble.js';
import type { PopulateField } from './populate-fields.js';

/** The references of a polymorphic relation to one content type, as a list of ids. */
export const morphKeys = (
  { relation, steps }: Pick<PopulateField, 'relation' | 'steps'>,
  target: ContentType,
  root = '$',
): Expression => {
  const { name, many } = relation.attribute;
  const ofType = (base: string): Expression => ({
    $map: {
      input: {
        $filter: {
          input: many ? { $ifNull: [`${base}${name}`, []] } : [`${base}${name}`],
          as: 'ref',
          cond: { $eq: ['$$ref.__type', { $literal: target.uid }] },
        },
      },
      as: 'ref',
      in: '$$ref.documentId',
    },
  });
  return mapItems(steps, ofType, true, root);
};

/**
 * The path through the rows of the list `from` that a lookup can use as its `localField`; null if it needs a
 * list of keys. A missing reference counts as null, which finds nothing, since every target has a `documentId`.
 */
export function localFieldPath(populate: PopulateField, from: string): string | null {
  const { relation, kind, steps } = populate;
  if (kind === 'morph' || steps.some(({ component }) => component !== undefined)) return null;
  if (isReferring(populate)) return `${from}.${prefixOf(steps)}${relation.attribute.stored}`;
  // An empty list also counts as null, and would find every entry that refers to nothing. A page is never
  // empty: without rows, `$group` returns no document.
  return kind === 'localizations' || from === PAGE ? `${from}.documentId` : null;
}

/**
 * The keys of all rows in the list `from`, without duplicates or null; for inverse relations never an empty
 * list (see `localFieldPath`).
 */
export function localKeysOf(populate: PopulateField, { target }: RelationTarget, from: string): Expression {
  const { relation, kind, steps, listed } = populate;
  const { many } = relation.attribute;
  const root = '$$row.';
  const ofAll = (keys: Expression): Expression => ({ $map: { input: `$${from}`, as: 'row', in: keys } });
  const keys =
    kind === 'morph'
      ? flatten(ofAll(morphKeys(populate, target, root)))
      : !isReferring(populate)
        ? { $concatArrays: [ofAll(`${root}documentId`), ['']] }
        : many || listed
          ? flatten(ofAll(referencesIn(steps, relation.attribute, root)))
          : ofAll(referencesIn(steps, relation.attribute, root));
  return { $setDifference: [keys, [null]] };
}

/**
 * Whether the entry holds the references; otherwise the rows refer to the entry, or belong to the same
 * document.
 */
export const isReferring = ({ kind }: PopulateField): boolean =>
  kind === 'owned' || kind === 'tested' || kind === 'morph';

/** Reads the keys that a row of the page or of a set refers to. */
export function localReader(populate: PopulateField, { target }: RelationTarget): KeysOf {
  if (!isReferring(populate)) return valuesAt([], 'documentId');
  const references = valuesAt(populate.steps, populate.relation.attribute.name);
  return populate.kind === 'morph' ? (row) => idsOfType(references(row), target.uid) : references;
}

/** Reads the keys that a populated row is found by; `path` is the `foreignField` of the lookup. */
export function foreignReader(populate: PopulateField, type: ContentType, path: string): KeysOf {
  if (populate.kind !== 'morphInverse') return valuesAt([], path);
  const references = valuesAt([], path.slice(0, path.lastIndexOf('.')));
  return (row) => idsOfType(references(row), type.uid);
}

const idsOfType = (references: readonly unknown[], uid: string): readonly unknown[] =>
  documentsOf(references)
    .filter(({ __type }) => __type === uid)
    .map(({ documentId }) => documentId);

/** The values of an attribute in every item at `steps`; lists are flattened, null is left out. */
function valuesAt(steps: readonly Step[], name: string): KeysOf {
  if (steps.length === 0) return (row) => presentIn(row[name]);
  return (row) =>
    steps
      .reduce<readonly Doc[]>(
        (items, step) => items.flatMap((item) => documentsOf(presentIn(item[step.name])).filter(isOf(step))),
        [row],
      )
      .flatMap((item) => presentIn(item[name]));
}

const isOf =
  ({ component }: Step) =>
  (item: Doc): boolean =>
    component === undefined || item['__component'] === component;
