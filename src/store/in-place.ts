/** Documents that other programs own too: each write is one command, of the paths that it names. */
import type { Document, Filter, UpdateFilter } from 'mongodb';
import type { ContentType } from '../schema/types.js';
import { findKeys } from './adopted-keys.js';
import { WriteConflict } from './apply-step.js';
import type { Store } from './client.js';
import { collectionOf } from './collections.js';
import { addEvents, type ChangeEvent } from './outbox.js';

export type InPlaceStep =
  | {
      readonly kind: 'insert';
      readonly type: ContentType;
      readonly document: Document;
      /** Another key would do as well. */
      readonly anyKey: boolean;
    }
  | {
      readonly kind: 'update';
      readonly type: ContentType;
      readonly id: unknown;
      /** What the update was computed from and has to be there still, by path; undefined: nothing. */
      readonly compared: ReadonlyMap<string, unknown>;
      readonly set: Document;
      readonly unset: readonly string[];
    }
  | { readonly kind: 'delete'; readonly type: ContentType; readonly id: unknown };

/** Throws `WriteConflict` where what an update was computed from has changed, and what the server says otherwise. */
async function run(store: Store, step: InPlaceStep): Promise<void> {
  const collection = collectionOf(store, { type: step.type, status: 'published' });
  switch (step.kind) {
    case 'insert':
      await collection.insertOne({ ...step.document });
      return;
    case 'delete':
      await collection.deleteOne({ _id: step.id } as Filter<Document>);
      return;
    case 'update': {
      const { id, compared, set, unset } = step;
      const changes: UpdateFilter<Document> = {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((path) => [path, ''])) }),
      };
      if (Object.keys(changes).length === 0) return;
      const same = [...compared].map(([path, value]) => ({
        [path]: value === undefined ? { $exists: false } : { $eq: value },
      }));
      const filter = { $and: [{ _id: id }, ...same] } as Filter<Document>;
      const { matchedCount } = await collection.updateOne(filter, changes);
      if (matchedCount === 0) throw new WriteConflict(step.type.collectionName);
    }
  }
}

/** A document as it is stored, each value with its BSON type; null: it is not there. */
const read = (store: Store, type: ContentType, id: unknown): Promise<Document | null> =>
  collectionOf(store, { type, status: 'published' }).findOne({ _id: id } as Filter<Document>, {
    promoteValues: false,
    bsonRegExp: true,
  });

/** The values of one path in the documents with these `_id`s. */
const readPath = (
  store: Store,
  type: ContentType,
  ids: readonly unknown[],
  path: string,
): Promise<Document[]> =>
  collectionOf(store, { type, status: 'published' })
    .find({ _id: { $in: [...ids] } } as Filter<Document>, { projection: { [path]: 1 }, promoteValues: false })
    .toArray();

/** The greatest number that an `_id` is; 0 where none is one. */
async function greatestKey(store: Store, type: ContentType): Promise<number> {
  const [last] = await collectionOf(store, { type, status: 'published' })
    .find({ _id: { $type: 'number' } } as unknown as Filter<Document>, { projection: { _id: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return Number(last?._id ?? 0) || 0;
}

/** What writes of adopted documents need of the database. */
export interface AdoptedDocuments {
  /** The `_id`s that these texts name, by text. */
  keys(type: ContentType, texts: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  read(type: ContentType, id: unknown): Promise<Document | null>;
  readPath(type: ContentType, ids: readonly unknown[], path: string): Promise<Document[]>;
  greatestKey(type: ContentType): Promise<number>;
  run(step: InPlaceStep): Promise<void>;
  /** Puts events into the outbox, behind what they tell of. */
  tell(events: readonly ChangeEvent[]): Promise<void>;
}

/** `dry`: nothing is changed. */
export const adoptedDocuments = (store: Store, dry = false): AdoptedDocuments => ({
  keys: (type, texts) => findKeys(store, type, texts),
  read: (type, id) => read(store, type, id),
  readPath: (type, ids, path) => readPath(store, type, ids, path),
  greatestKey: (type) => greatestKey(store, type),
  run: async (step) => {
    if (!dry) await run(store, step);
  },
  tell: async (events) => {
    const untold = events.filter(({ uid }) => !store.content.watched.has(uid));
    if (!dry) await addEvents(store.db, untold, null);
  },
});
