export {
  type Collation,
  collationKey,
  compareBytewise,
  isSimpleCollation,
  stringComparer,
} from './collation.js';
export { type Compare, compareValues, equalValues, typeOrder, valueComparer } from './compare.js';
export { decodeDocument } from './decode.js';
export { type Direction, encodeKey } from './encode-key.js';
export { type HashKey, hasher, hashKey } from './hash-key.js';
export { indexKeys } from './index-keys.js';
export { type KeyRange, type Limits, limitRange, prefixRange } from './key-bounds.js';
export { isMissingAt, member, memberGetter, setMember, valuesAt } from './paths.js';
export { compileSort, type Keyed, type SortOrder, sortKeyed } from './sort-by.js';
export { type BsonType, bsonTypeOf, isDocument, isNumeric } from './types.js';
