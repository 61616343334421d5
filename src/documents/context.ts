import type { Config } from '../config/types.js';
import { contentTypeOf } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Entry } from '../store/changes.js';
import type { Store } from '../store/client.js';
import { collectionName } from '../store/collections.js';
import { type EntryFilter, highestId, readEntries } from '../store/entries.js';
import { createSequences, type Sequences } from '../store/sequence.js';
import { openWriter, type Writer } from '../store/write.js';

/** What every operation works with: the model, the settings and the stored entries. */
export interface DocumentsContext {
  readonly schema: Schema;
  readonly config: Config;
  readonly writer: Writer;
  readonly sequences: Sequences;
  /** Entries as stored (see store/entries.ts). */
  read(collection: string, filter: EntryFilter, fields?: readonly string[]): Promise<Entry[]>;
}

/** The document that a write is about, in the locale it is written in. */
export interface Source {
  readonly type: ContentType;
  readonly documentId: string;
  /** Null for types that are not localized. */
  readonly locale: string | null;
}

/** Name of the sequence that component items draw their ids from. */
export const COMPONENT_IDS = 'components';

/** Ids fetched at once. A restart loses what is left of a block, so entries, whose ids people see, get small ones. */
const blockSize = (name: string): number => (name === COMPONENT_IDS ? 256 : 32);

interface Parts {
  readonly schema: Schema;
  readonly store: Store;
  readonly config: Config;
}

export async function openContext({ schema, store, config }: Parts): Promise<DocumentsContext> {
  const { client, db } = store;
  const highest = async (uid: string): Promise<number> => {
    const type = contentTypeOf(schema, uid);
    if (!type) return 0;
    const collections = new Set([collectionName(type, 'draft'), collectionName(type, 'published')]);
    return Math.max(...(await Promise.all([...collections].map((name) => highestId(db, name)))));
  };
  return {
    schema,
    config,
    writer: await openWriter(client, db),
    sequences: createSequences(db, highest, blockSize),
    read: (collection, filter, fields) => readEntries(db, collection, filter, fields ?? null),
  };
}
