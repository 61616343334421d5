import type { CreateIndexesOptions } from 'mongodb';
import { attributeBehind } from '../../query/attributes.js';
import { uniqueAttributes } from '../../schema/find.js';
import { isDateType, isNumberType } from '../../schema/scalars/index.js';
import type { Attribute, ContentType, IndexHint, ScalarType } from '../../schema/types.js';

export interface Index {
  readonly keys: Readonly<Record<string, 1 | -1>>;
  readonly options: CreateIndexesOptions;
}

/** The smallest value of a stored type: an index from there on leaves null and the empty string out (rules E.5). */
const smallest = (type: ScalarType): unknown => {
  if (isNumberType(type)) return Number.NEGATIVE_INFINITY;
  return isDateType(type) ? new Date(-8.64e15) : '';
};

/**
 * Unique in a locale, for the collection of published entries: drafts may hold duplicates (rules 0.4, row 9). Mangrove claims such values
 * (`mangrove.claims`); these indexes hold them against other programs too.
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

/** As in SQL, a null keeps a row out of a unique index. */
const uniqueTogether = (type: ContentType, { keys }: IndexHint): Index => ({
  keys: { ...keys, ...(type.localized && { locale: keys['locale'] ?? 1 }) },
  options: {
    unique: true,
    partialFilterExpression: Object.fromEntries(
      Object.keys(keys).map((name) => [name, { $gte: lowerBoundOf(attributeBehind(type, name)) }]),
    ),
  },
});

const lowerBoundOf = (attribute: Attribute | undefined): unknown => {
  if (attribute?.kind !== 'scalar') return '';
  return attribute.type === 'boolean' ? false : smallest(attribute.type);
};
