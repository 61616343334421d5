/** Documents that other programs own too: each write is one command, of the paths that it names. */
import type { Document, UpdateFilter } from 'mongodb';
import type { Source } from '../../pipeline/types.js';
import { versionsOf } from '../../query/versions.js';
import type { ContentType } from '../../schema/types.js';
import { collectionOf, collectionsOf } from '../connection/collections.js';
import { isDuplicateKey } from '../connection/duplicate.js';
import { anyFilter, anyId } from '../connection/filter.js';
import type { Store } from '../connection/store.js';
import { WriteConflict } from '../entries/apply-step.js';
import { addEvents, type ChangeEvent, type ChangeEventName } from '../outbox/outbox.js';
import { findKeys } from './keys.js';

export type InPlaceStep =
  | {
      readonly kind: 'insert';
      readonly type: ContentType;
      readonly document: Document;
      /** Any other key would do as well. */
      readonly anyKey: boolean;
      /** It must be the only one: nothing is created where there is another. */
      readonly alone?: boolean;
    }
  | {
      readonly kind: 'update';
      readonly type: ContentType;
      readonly id: unknown;
      /** What the update was computed from and must still be there, by path; undefined: nothing. */
      readonly compared: ReadonlyMap<string, unknown>;
      readonly set: Document;
      readonly unset: readonly string[];
    }
  | { readonly kind: 'delete'; readonly type: ContentType; readonly id: unknown }
  | {
      readonly kind: 'saveDraft';
      readonly type: ContentType;
      readonly draft: AdoptedDraft;
      /** The revision that it replaces, or 0 for none. */
      readonly replaces: number;
    }
  /** `revision`: only this one. */
  | {
      readonly kind: 'dropDraft';
      readonly type: ContentType;
      readonly id: unknown;
      readonly revision?: number;
    };

/** A draft beside an adopted collection. */
export interface AdoptedDraft {
  readonly id: unknown;
  /** The whole document, as it would be published. */
  readonly document: Document;
  /** The paths in which it differs from what is published; null: nothing was ever published. */
  readonly changed: readonly string[] | null;
}

/** How often it was saved. */
export interface StoredDraft extends AdoptedDraft {
  readonly revision: number;
}

/** Under which name a stored draft says what it is. */
const DRAFT = '_draft';

/** Throws `WriteConflict` where what an update was computed from has changed, and what the server says otherwise. */
async function run(store: Store, step: InPlaceStep): Promise<void> {
  if (step.kind === 'saveDraft' || step.kind === 'dropDraft') return runDraft(store, step);
  const collection = collectionOf(store, { type: step.type, status: 'published' });
  switch (step.kind) {
    case 'insert': {
      if (!step.alone) {
        await collection.insertOne({ ...step.document });
        return;
      }
      const made = { $setOnInsert: step.document };
      const { upsertedCount } = await collection.updateOne({}, made, { upsert: true });
      if (upsertedCount === 0) throw new WriteConflict(step.type.collectionName);
      return;
    }
    case 'delete':
      await collection.deleteOne(anyFilter({ _id: step.id }));
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
      const filter = anyFilter({ $and: [{ _id: id }, ...same] });
      const { matchedCount } = await collection.updateOne(filter, changes);
      if (matchedCount === 0) throw new WriteConflict(step.type.collectionName);
    }
  }
}

type DraftStep = Extract<InPlaceStep, { kind: 'saveDraft' | 'dropDraft' }>;

async function runDraft(store: Store, step: DraftStep): Promise<void> {
  const drafts = collectionOf(store, { type: step.type, status: 'draft' });
  if (step.kind === 'dropDraft') {
    const { id, revision } = step;
    await drafts.deleteOne(anyFilter({ _id: id, ...(revision && { [`${DRAFT}.revision`]: revision }) }));
    return;
  }
  const { draft, replaces, type } = step;
  const document = {
    ...draft.document,
    [DRAFT]: { revision: replaces + 1, changed: draft.changed, at: new Date() },
  };
  if (replaces === 0) {
    await drafts.insertOne({ ...document, _id: anyId(draft.id) }).catch((error: unknown) => {
      throw isDuplicateKey(error) ? new WriteConflict(type.collectionName) : error;
    });
    return;
  }
  const filter = anyFilter({ _id: draft.id, [`${DRAFT}.revision`]: replaces });
  const { matchedCount } = await drafts.replaceOne(filter, document);
  if (matchedCount === 0) throw new WriteConflict(type.collectionName);
}

async function readDraft(store: Store, type: ContentType, id: unknown): Promise<StoredDraft | null> {
  const found = await readIn(store, { type, status: 'draft' }, id);
  if (!found) return null;
  const { [DRAFT]: about, ...document } = found;
  const { revision, changed }: { revision: unknown; changed: string[] | null } = about;
  return { id, document, changed, revision: Number(String(revision)) };
}

/** A document as it is stored, each value with its BSON type; null: it is not there. */
const readIn = (store: Store, source: Source, id: unknown): Promise<Document | null> =>
  collectionOf(store, source).findOne(anyFilter({ _id: id }), {
    promoteValues: false,
    bsonRegExp: true,
  });

/** The values of one path in the documents with these `_id`s. */
const readPath = async (
  store: Store,
  type: ContentType,
  ids: readonly unknown[],
  path: string,
): Promise<Document[]> => {
  const lists = versionsOf(type, 'draft').map((status) =>
    collectionOf(store, { type, status })
      .find(anyFilter({ _id: { $in: [...ids] } }), {
        projection: { [path]: 1 },
        promoteValues: false,
      })
      .toArray(),
  );
  // What a draft says stands before what is published.
  return (await Promise.all(lists)).reverse().flat();
};

/** The `_id` of the first document, which a single type shows; undefined where there is none. */
async function firstKey(store: Store, type: ContentType): Promise<unknown> {
  for (const status of versionsOf(type, 'draft').toReversed()) {
    const [first] = await collectionOf(store, { type, status })
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(1)
      .toArray();
    if (first) return first._id;
  }
  return undefined;
}

/** The greatest numeric `_id`; 0 where there is none. */
async function greatestKey(store: Store, type: ContentType): Promise<number> {
  const [last] = await collectionOf(store, { type, status: 'published' })
    .find(anyFilter({ _id: { $type: 'number' } }), { projection: { _id: 1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  return Number(last?._id ?? 0) || 0;
}

/** What a change stream reports of a document. */
const STREAM_EVENTS: ReadonlySet<ChangeEventName> = new Set(['entry.create', 'entry.update', 'entry.delete']);

/** What writes of adopted documents need of the database. */
export interface AdoptedDocuments {
  /** The `_id`s that these texts name, by text. */
  keys(type: ContentType, texts: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  read(type: ContentType, id: unknown): Promise<Document | null>;
  readDraft(type: ContentType, id: unknown): Promise<StoredDraft | null>;
  readPath(type: ContentType, ids: readonly unknown[], path: string): Promise<Document[]>;
  greatestKey(type: ContentType): Promise<number>;
  firstKey(type: ContentType): Promise<unknown>;
  run(step: InPlaceStep): Promise<void>;
  /** Adds events to the outbox after the changes that they report. `theirs`: of their collection, whose changes a stream may report. */
  tell(events: readonly ChangeEvent[], theirs: boolean): Promise<void>;
}

/** `dry`: nothing is changed. */
export const adoptedDocuments = (store: Store, dry = false): AdoptedDocuments => ({
  keys: (type, texts) => findKeys(store, type, texts),
  read: (type, id) => readIn(store, { type, status: 'published' }, id),
  readDraft: (type, id) => readDraft(store, type, id),
  readPath: (type, ids, path) => readPath(store, type, ids, path),
  greatestKey: (type) => greatestKey(store, type),
  firstKey: (type) => firstKey(store, type),
  run: async (step) => {
    if (dry) return;
    const end = store.moves.begin(collectionsOf(step.type));
    try {
      await run(store, step);
    } finally {
      end();
    }
  },
  tell: async (events, theirs) => {
    const untold = events.filter(
      ({ uid, event }) => !(theirs && store.content.watched.has(uid) && STREAM_EVENTS.has(event)),
    );
    if (!dry) await addEvents(store.db, untold, null);
  },
});
