import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { checkSize, MAX_ROW_BYTES } from '../../values/document-size.js';
import { sizeOf, sizeOfList } from '../../values/size.js';
import { currentWork } from '../../values/work.js';

/** Shorter lists are not measured: if they make a document too large, encoding detects it. */
const FEW = 64;
/** In a longer list only every n-th document is measured, and all of them only near the limit. */
const EVERY = 16;

type SizeOf = (list: readonly unknown[]) => number;

/** Measures lists, which never change, once: one may be part of many documents, and those of others. */
function measure(): SizeOf {
  const known = new WeakMap<readonly unknown[], number>();
  const exactSize: SizeOf = (list) => {
    const before = known.get(list);
    if (before !== undefined) return before;
    const size = sizeOfList(list, exactSize);
    known.set(list, size);
    return size;
  };
  return exactSize;
}

function aboutSize(list: readonly unknown[], exactSize: SizeOf): number {
  let size = 0;
  for (let i = 0; i < list.length; i += EVERY) size += sizeOf(list[i], exactSize);
  return size * EVERY;
}

/** Checks the size of what a lookup joins to a document. */
export type CheckJoined = (document: Document, joined: readonly Document[]) => void;

/** Where the lists of a lookup end up. */
interface Standing {
  /** In a row of the response, unchanged. */
  readonly answered: boolean;
  /** What earlier lookups have added to that row. */
  readonly earlier: readonly string[];
}

/**
 * Ends a pipeline as soon as a `$lookup` joins more to one document than allowed (4568), or the resulting row of the response is
 * certain to be too large (BSONObjectTooLarge): further lookups would only use more memory.
 */
export function joinedCheck(from: string, { answered, earlier }: Standing): CheckJoined {
  const most = currentWork().limits.lookupBytes;
  const near = Math.min(most, MAX_ROW_BYTES) / 2;
  const exactSize = measure();
  return (document, joined) => {
    if (joined.length <= FEW) return;
    const lists = earlier
      .map((as) => document[as])
      .filter((list) => Array.isArray(list) && list.length > FEW);
    const sum = (size: SizeOf): number =>
      lists.reduce((bytes: number, list) => bytes + size(list), size(joined));
    if (sum((list) => aboutSize(list, exactSize)) < near) return;
    if (exactSize(joined) > most)
      fail(
        4568,
        `Total size of documents in ${from} matching pipeline's $lookup stage exceeds maximum document size`,
      );
    if (answered) checkSize({ length: sum(exactSize) }, MAX_ROW_BYTES);
  };
}
