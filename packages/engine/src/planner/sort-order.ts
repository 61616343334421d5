import type { Document } from 'bson';
import type { CompiledIndex } from '../indexes/compile-index.js';
import { isNumeric } from '../values/index.js';
import type { Bounds } from './bounds.js';

/** Whether an index scan yields documents in the order of a sort, and in which direction. */
interface WalkOrder {
  readonly reverse: boolean;
  readonly sorted: boolean;
}

const NONE: WalkOrder = { reverse: false, sorted: false };

/**
 * Whether scanning these bounds of an index yields documents in the order of a sort, and in which direction. Fields fixed to one
 * point may be anywhere in the sort; a field that contains arrays gives no order. As on MongoDB, an index in the order of only
 * the first fields of a sort does not serve it.
 */
export function orderOfIndex(index: CompiledIndex, bounds: Bounds, sort: Document | undefined): WalkOrder {
  if (sort === undefined) return { ...NONE, sorted: true };
  if (index.meta.cut === true || index.collation !== undefined) return NONE;
  if (!bounds.isOneRange) return NONE;
  const { multikey } = index;
  const fixed = new Set(index.paths.slice(0, bounds.fixed));
  let at = bounds.fixed;
  let flips: boolean | undefined;
  for (const [path, direction] of Object.entries(sort)) {
    if (fixed.has(path) && !multikey.has(path)) {
      continue;
    }
    const flip = Number(direction) < 0 !== (index.directions[at] === -1);
    const serves = isNumeric(direction) && index.paths[at] === path && !multikey.has(path);
    if (!serves || (flips ?? flip) !== flip) return NONE;
    flips = flip;
    at += 1;
  }
  return { reverse: flips === true, sorted: true };
}
