import { memberOf } from '../../values/once-per.js';
import type { DocumentsContext } from '../context.js';

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
