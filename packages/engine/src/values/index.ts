export {
  type Collation,
  collatedValue,
  collationKey,
  compareBytewise,
  isSimpleCollation,
  stringComparer,
} from './collation.js';
export { compareValues, equalValues, typeOrder, valueComparer } from './compare.js';
export { decodeDocument } from './decode.js';
export { type Direction, encodeKey } from './encode-key.js';
export { hasher } from './hash-key.js';
export { indexKeys } from './index-keys.js';
export { type KeyRange, type Limits, limitRange, prefixRange } from './key-bounds.js';
export { isMissingAt, member, valuesAt } from './paths.js';
export { compileSort, type Keyed, type SortOrder, sortKeyed } from './sort-by.js';
export { bsonTypeOf, isDocument, isNumeric } from './types.js';
