/** The queued writes of one document. */
import type { Changes, Entry } from '../../store/entries/changes.js';
import { asStored } from '../../store/entries/entries.js';
import { memberOf } from '../../values/once-per.js';
import type { DocumentLock, DocumentsContext, ResolveContext } from '../context.js';

interface Queue extends DocumentLock {
  last: Promise<unknown>;
}

/** Serializes writes of one document within this process, so that they do not conflict. */
export function createDocumentLocks(): DocumentsContext['withDocumentLock'] {
  const queues = new Map<string, Queue>();
  return async (key, work) => {
    const queue = memberOf(queues, key, (): Queue => ({ last: Promise.resolve(), left: new Map() }));
    const result = queue.last.then(() => work(queue));
    const settled = result.catch(() => undefined);
    queue.last = settled;
    try {
      return await result;
    } finally {
      if (queue.last === settled) queues.delete(key);
    }
  };
}

interface Read {
  readonly collection: string;
  readonly entries: readonly Entry[];
  /** By `performance.now()`. */
  readonly at: number;
}

interface PassingOn {
  readonly read: ResolveContext['read'];
  /** Call once the changes are stored. */
  passOn(changes: Changes): void;
}

/**
 * Reads for a write that arrived at `since`. What the previous write of the document left is reused if it was
 * read after `since`: like any read, it can only be made stale by writes of other processes, which the
 * revisions detect.
 */
export function passingOn(
  read: ResolveContext['read'],
  lock: DocumentLock,
  { documentId, since }: { readonly documentId: string; readonly since: number },
): PassingOn {
  const known = lock.left;
  // A retry reads everything again.
  lock.left = new Map();
  const reads = new Map<string, Read>();
  return {
    async read(collection, filter, fields, signal) {
      const { documentId: wanted, locale, ...others } = filter;
      const isOwn = wanted === documentId && (locale === null || typeof locale !== 'object');
      if (fields || !isOwn || Object.keys(others).length > 0) return read(collection, filter, fields, signal);
      const key = JSON.stringify([collection, filter]);
      const left = known.get(key);
      // A repeated read wants the present state.
      const isNew = left !== undefined && left.readAt >= since && !reads.has(key);
      const at = isNew ? left.readAt : performance.now();
      const entries = isNew ? left.entries() : await read(collection, filter, fields, signal);
      reads.set(key, { collection, entries, at });
      return [...entries];
    },
    passOn(changes) {
      const inserted = new Set(
        changes.steps().flatMap(({ collection, before }) => (before === null ? [collection] : [])),
      );
      lock.left = new Map(
        [...reads].flatMap(([key, { collection, entries, at }]) => {
          const left = inserted.has(collection) ? null : changed(changes, collection, entries);
          return left ? [[key, { readAt: at, entries: () => left.map(asStored) }] as const] : [];
        }),
      );
    },
  };
}

/**
 * Entries as a write leaves them; null unless it changes every one of them: only changed entries get a
 * revision that reveals later writes of others.
 */
function changed(changes: Changes, collection: string, entries: readonly Entry[]): readonly Entry[] | null {
  const after = entries.flatMap((entry) => {
    const current = changes.current(collection, entry);
    return current === null || current === entry ? [] : [current];
  });
  return after.length > 0 && after.length === entries.length ? after : null;
}
