import type { Config } from '../config/types.js';
import type { Schema } from '../schema/types.js';
import { adoptedDocuments } from '../store/adopted/in-place.js';
import type { Store } from '../store/client.js';
import { highestIdOf, readEntries } from '../store/entries/entries.js';
import { createSequences, peekSequences } from '../store/entries/sequence.js';
import { startForgetting } from '../store/history/retention.js';
import { SCRIPT } from '../store/outbox/outbox.js';
import { openDryWriter } from '../store/writes/dry-write.js';
import { openWriter } from '../store/writes/write.js';
import { searchClaims } from './claims/search-claims.js';
import type { DocumentsContext } from './context.js';
import { COMPONENT_IDS } from './entry/component-ids.js';
import { startKeepingMissed } from './history/catch-up.js';
import { createDocumentLocks } from './operations/document-locks.js';
import type { WriteTrace } from './trace.js';

/**
 * Ids reserved at once. A restart loses the rest of a block, so entries, whose ids are visible, get small
 * blocks.
 */
const blockSize = (name: string): number => (name === COMPONENT_IDS ? 256 : 32);

export interface ContextParts {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Config;
  /** False: versions that were stored without Mangrove are left to the next server. */
  readonly catchesUp?: boolean;
}

/** The first number of a sequence that has no counter yet. */
const highestOf =
  ({ schema, store }: ContextParts) =>
  async (uid: string): Promise<number> => {
    const type = schema.contentTypes.get(uid);
    return type ? highestIdOf(store.db, type) : 0;
  };

/** What served and dry-run contexts have in common. */
const shared = ({
  schema,
  store,
  config,
}: ContextParts): Omit<DocumentsContext, 'writer' | 'sequences' | 'adopted'> => ({
  schema,
  config,
  origin: SCRIPT,
  withDocumentLock: createDocumentLocks(),
  read: (collection, filter, fields, signal) =>
    readEntries(store.db, collection, filter, { fields: fields ?? null, ...(signal && { signal }) }),
});

export async function openContext(parts: ContextParts): Promise<DocumentsContext> {
  const { schema, store, config, catchesUp = true } = parts;
  await searchClaims(store, schema);
  const writer = await openWriter(store, config.changes);
  if (catchesUp) startKeepingMissed({ store, schema, writer });
  startForgetting(store, schema);
  return {
    ...shared(parts),
    writer,
    sequences: createSequences(store, highestOf(parts), blockSize),
    adopted: adoptedDocuments(store),
  };
}

/** A context that stores nothing: `trace` receives each step of the write and what would be sent. */
export async function openDryContext(parts: ContextParts, trace: WriteTrace): Promise<DocumentsContext> {
  const { store } = parts;
  return {
    ...shared(parts),
    trace,
    writer: await openDryWriter(store.db, (write) => trace.sent?.(write)),
    sequences: peekSequences(store.db, highestOf(parts)),
    adopted: adoptedDocuments(store, {
      run: async (step) => trace.sentInPlace?.(step),
      addEvents: async (events) => trace.sentEvents?.(events),
    }),
  };
}
