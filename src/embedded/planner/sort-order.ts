import type { Document } from 'bson';
import type { CompiledIndex } from '../indexes/compile-index.js';
import { isNumeric } from '../values/index.js';
import type { Bounds } from './bounds.js';

/** How far an index scan satisfies a sort. */
interface WalkOrder {
  readonly reverse: boolean;
  /** How many leading fields of the sort are in order. */
  readonly leading: number;
  /** All of them: nothing remains to be sorted. */
  readonly complete: boolean;
}

const NONE: WalkOrder = { reverse: false, leading: 0, complete: false };

/**
 * How far scanning these bounds of an index yields documents in the order of a sort, and in which direction. Fields fixed to one
 * point may be anywhere in the sort; a field that contains arrays gives no order.
 */
export function orderOfIndex(index: CompiledIndex, bounds: Bounds, sort: Document | undefined): WalkOrder {
  if (sort === undefined) return { ...NONE, complete: true };
  if (index.meta.cut === true || index.collation !== undefined) return NONE;
  if (!bounds.isOneRange) return NONE;
  const { multikey } = index;
  const fixed = new Set(index.paths.slice(0, bounds.fixed));
  const wanted = Object.entries(sort);
  let at = bounds.fixed;
  let flips: boolean | undefined;
  let leading = 0;
  for (const [path, direction] of wanted) {
    if (fixed.has(path) && !multikey.has(path)) {
      leading += 1;
      continue;
    }
    const flip = Number(direction) < 0 !== (index.directions[at] === -1);
    const serves = isNumeric(direction) && index.paths[at] === path && !multikey.has(path);
    if (!serves || (flips ?? flip) !== flip) break;
    flips = flip;
    at += 1;
    leading += 1;
  }
  return { reverse: flips === true, leading, complete: leading === wanted.length };
}
