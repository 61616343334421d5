import { isDateType, isNumberType } from '../schema/scalars/index.js';
import type { ContentType, ScalarAttribute, ScalarType } from '../schema/types.js';
import type { Index } from './indexes.js';

/** The smallest value of a stored type: an index from there on leaves null and the empty string out (rules E.5). */
const smallest = (type: ScalarType): unknown => {
  if (isNumberType(type)) return Number.NEGATIVE_INFINITY;
  return isDateType(type) ? new Date(-8.64e15) : '';
};

/** Unique attributes of a content type. */
export const uniqueAttributes = (type: ContentType): readonly ScalarAttribute[] =>
  [...type.attributes.values()].filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && !attribute.system && attribute.unique,
  );

/** Unique in a locale, for the collection of published entries: drafts may hold duplicates (rules 0.4, row 9). */
export const uniqueIndexesOf = (type: ContentType): readonly Index[] =>
  uniqueAttributes(type).map(({ name, type: stored }) => ({
    keys: { [name]: 1, locale: 1 },
    options: {
      name: `${name}_unique`,
      unique: true,
      partialFilterExpression: { [name]: { $gt: smallest(stored) } },
    },
  }));
