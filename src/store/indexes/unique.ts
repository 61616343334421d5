import type { CreateIndexesOptions } from 'mongodb';
import { schemaAttribute } from '../../query/attributes.js';
import { uniqueAttributes } from '../../schema/find.js';
import { isDateType, isNumberType } from '../../schema/scalars/index.js';
import type { Attribute, ContentType, IndexHint, ScalarType } from '../../schema/types.js';

export interface Index {
  readonly keys: Readonly<Record<string, 1 | -1>>;
  readonly options: CreateIndexesOptions;
}

/**
 * The smallest value of a scalar type. A partial index from that value on leaves out null and the empty
 * string.
 */
const smallest = (type: ScalarType): unknown => {
  if (isNumberType(type)) return Number.NEGATIVE_INFINITY;
  return isDateType(type) ? new Date(-8.64e15) : '';
};

/**
 * The unique indexes of the collection of published entries, per locale; drafts may have duplicates. Mangrove
 * itself prevents duplicates by claims (`mangrove.claims`); these indexes also prevent those by other
 * programs.
 */
export const uniqueIndexesOf = (type: ContentType): readonly Index[] => [
  ...uniqueAttributes(type).map(({ name, type: stored }) => ({
    keys: { [name]: 1, locale: 1 } as const,
    options: {
      name: `${name}_unique`,
      unique: true,
      partialFilterExpression: { [name]: { $gt: smallest(stored) } },
    },
  })),
  ...type.indexes.filter(({ unique }) => unique).map((hint) => uniqueTogether(type, hint)),
];

/** As in SQL, entries with a null are not in a unique index. */
const uniqueTogether = (type: ContentType, { keys }: IndexHint): Index => ({
  keys: { ...keys, ...(type.localized && { locale: keys['locale'] ?? 1 }) },
  options: {
    unique: true,
    partialFilterExpression: Object.fromEntries(
      Object.keys(keys).map((name) => [name, { $gte: lowerBoundOf(schemaAttribute(type, name)) }]),
    ),
  },
});

const lowerBoundOf = (attribute: Attribute | undefined): unknown => {
  if (attribute?.kind !== 'scalar') return '';
  return attribute.type === 'boolean' ? false : smallest(attribute.type);
};
