import type { Document } from 'bson';
import type { CompiledIndex } from '../indexes/compile-index.js';
import type { Bounds } from './bounds.js';

/**
 * Whether walking these bounds of an index yields documents in the order of a sort, and in which direction. Fields
 * fixed to one point may stand anywhere in the sort; a field that met an array gives no order.
 */
export function orderOfIndex(
  index: CompiledIndex,
  bounds: Bounds,
  sort: Document | undefined,
): 'forward' | 'reverse' | undefined {
  if (sort === undefined || index.meta.cut === true || index.collation !== undefined) return undefined;
  const single = (bounds.keys ?? bounds.spans).length <= 1;
  if (!single) return undefined;
  const fixed = new Set(index.paths.slice(0, bounds.fixed));
  const wanted = Object.entries(sort).filter(
    ([path]) => !fixed.has(path) || index.meta.multikey.includes(path),
  );
  const rest = index.paths.slice(bounds.fixed);
  let flips: boolean | undefined;
  for (let i = 0; i < wanted.length; i++) {
    const [path, direction] = wanted[i] as [string, unknown];
    if (typeof direction === 'object' || rest[i] !== path || index.meta.multikey.includes(path))
      return undefined;
    const flip = Number(direction) < 0 !== ((index.directions[bounds.fixed + i] ?? 1) === -1);
    if (flips !== undefined && flips !== flip) return undefined;
    flips = flip;
    // A unique index on one field leaves no ties, so later fields of the sort decide nothing.
    if (index.unique && index.paths.length === 1 && !index.sparse && index.admits === undefined) break;
  }
  return flips === true ? 'reverse' : 'forward';
}
