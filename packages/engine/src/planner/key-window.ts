import type { Document } from 'bson';
import { fail } from '../errors.js';
import { type CompiledIndex, fitKey, indexValue } from '../indexes/compile-index.js';
import { tableKey } from '../storage/layout.js';
import { encodeKey } from '../values/index.js';
import type { Bounds } from './bounds.js';
import type { Query } from './plan.js';

const namesOf = (key: Document): string => Object.keys(key).join('\0');

function keyOf(index: CompiledIndex, given: Document): Buffer {
  if (namesOf(given) !== index.paths.join('\0')) {
    fail(51174, `The index chosen is not compatible with min/max: ${index.name}`);
  }
  const values = index.paths.map((path) => indexValue(given[path], index.collation));
  return tableKey(index.meta.table, fitKey(encodeKey(values, index.directions)));
}

/** The part of an index from `min` (inclusive) to `max` (exclusive), in its own order. Throws 51174, 51175 or 51176. */
export function windowBounds(index: CompiledIndex, { min, max }: Query): Bounds {
  if (min !== undefined && max !== undefined && namesOf(min) !== namesOf(max))
    fail(51176, 'min() and max() must have the same field names');
  const start = min === undefined ? tableKey(index.meta.table) : keyOf(index, min);
  const end = max === undefined ? tableKey(index.meta.table + 1) : keyOf(index, max);
  if (Buffer.compare(start, end) >= 0) {
    fail(51175, 'The value provided for min() does not come before the value provided for max()');
  }
  return {
    keys: undefined,
    spans: [{ start, end }],
    fixed: 0,
    used: 1,
    exact: false,
    isOneRange: true,
    predicates: [],
  };
}
