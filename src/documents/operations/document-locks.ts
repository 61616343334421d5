import type { ContentType } from '../../schema/types.js';
import { memberOf } from '../../values/once-per.js';
import type { DocumentsContext } from '../context.js';

/** The name of the lock of a document; null for one that has no documentId yet, and so no other writers. */
export function documentLock({ uid, kind }: ContentType, documentId: unknown): string | null {
  // A single type has one document, whose id the first write does not know yet.
  if (kind === 'singleType') return uid;
  return documentId === undefined ? null : `${uid}/${String(documentId)}`;
}

/** Serializes writes of one document within this process, so that they do not conflict. */
export function createDocumentLocks(): DocumentsContext['withDocumentLock'] {
  const queues = new Map<string, { last: Promise<unknown> }>();
  return async (key, work) => {
    const queue = memberOf(queues, key, () => ({ last: Promise.resolve() }));
    const result = queue.last.then(work);
    const settled = result.catch(() => undefined);
    queue.last = settled;
    try {
      return await result;
    } finally {
      if (queue.last === settled) queues.delete(key);
    }
  };
}
