import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { checkSize, MAX_ROW_BYTES } from '../../values/document-size.js';
import { sizeOf, sizeOfList } from '../../values/size.js';
import { currentWork } from '../../values/work.js';

/** Shorter lists are not measured: what is too large with them is seen when it is encoded. */
const FEW = 64;
/** Of a longer list every so many documents are measured, and all only where it comes near a limit. */
const EVERY = 16;

/** Lists that were measured, which are never changed. One list may stand in many documents, and those in others. */
const known = new WeakMap<readonly unknown[], number>();

function exactSize(list: readonly unknown[]): number {
  const before = known.get(list);
  if (before !== undefined) return before;
  const size = sizeOfList(list, exactSize);
  known.set(list, size);
  return size;
}

function aboutSize(list: readonly unknown[]): number {
  let size = 0;
  for (let i = 0; i < list.length; i += EVERY) size += sizeOf(list[i], exactSize);
  return size * EVERY;
}

/** Checks what a lookup joins to a document. */
export type CheckJoined = (document: Document, joined: readonly Document[]) => void;

/** Where the lists of a lookup stand in the end. */
interface Standing {
  /** In a row of the answer, as they are. */
  readonly answered: boolean;
  /** What earlier lookups have added to that row. */
  readonly earlier: readonly string[];
}

/**
 * Ends a pipeline as soon as a `$lookup` joins more to one document than it may (4568), or where the row of the answer that the document
 * is going to be is sure to be too large (BSONObjectTooLarge): further lookups would only hold more memory.
 */
export function joinedCheck(from: string, { answered, earlier }: Standing): CheckJoined {
  const most = currentWork().limits.lookupBytes;
  const near = Math.min(most, MAX_ROW_BYTES) / 2;
  return (document, joined) => {
    if (joined.length <= FEW) return;
    const lists = earlier
      .map((as) => document[as])
      .filter((list) => Array.isArray(list) && list.length > FEW);
    const sum = (size: (list: readonly unknown[]) => number): number =>
      lists.reduce((bytes: number, list) => bytes + size(list), size(joined));
    if (sum(aboutSize) < near) return;
    if (exactSize(joined) > most)
      fail(
        4568,
        `Total size of documents in ${from} matching pipeline's $lookup stage exceeds maximum document size`,
      );
    if (answered) checkSize({ length: sum(exactSize) }, MAX_ROW_BYTES);
  };
}
