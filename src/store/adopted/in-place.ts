/** Documents that other programs own too: each write is one command, of the paths that it names. */
import type { AnyBulkWriteOperation, Document, UpdateFilter } from 'mongodb';
import type { Source } from '../../pipeline/types.js';
import { versionsOf } from '../../query/versions.js';
import type { ContentType } from '../../schema/types.js';
import { collectionOf } from '../connection/collections.js';
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

type Operation = AnyBulkWriteOperation<Document>;

/** A step as the operation that is sent, and where; null: it changes nothing. */
export function operationOf(step: InPlaceStep): { source: Source; operation: Operation } | null {
  const { type } = step;
  const theirs = (operation: Operation) => ({ source: { type, status: 'published' as const }, operation });
  const ours = (operation: Operation) => ({ source: { type, status: 'draft' as const }, operation });
  switch (step.kind) {
    case 'insert': {
      const { document, alone } = step;
      return theirs(
        alone
          ? { updateOne: { filter: {}, update: { $setOnInsert: document }, upsert: true } }
          : { insertOne: { document: { ...document } } },
      );
    }
    case 'delete':
      return theirs({ deleteOne: { filter: anyFilter({ _id: step.id }) } });
    case 'update': {
      const { id, compared, set, unset } = step;
      const update: UpdateFilter<Document> = {
        ...(Object.keys(set).length > 0 && { $set: set }),
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((path) => [path, ''])) }),
      };
      if (Object.keys(update).length === 0) return null;
      const same = [...compared].map(([path, value]) => ({
        [path]: value === undefined ? { $exists: false } : { $eq: value },
      }));
      return theirs({ updateOne: { filter: anyFilter({ $and: [{ _id: id }, ...same] }), update } });
    }
    case 'saveDraft': {
      const { draft, replaces } = step;
      const about = { revision: replaces + 1, changed: draft.changed, at: new Date() };
      const document = { ...draft.document, [DRAFT]: about };
      if (replaces === 0) return ours({ insertOne: { document: { ...document, _id: anyId(draft.id) } } });
      const filter = anyFilter({ _id: draft.id, [`${DRAFT}.revision`]: replaces });
      return ours({ replaceOne: { filter, replacement: document } });
    }
    case 'dropDraft': {
      const { id, revision } = step;
      const filter = anyFilter({ _id: id, ...(revision && { [`${DRAFT}.revision`]: revision }) });
      return ours({ deleteOne: { filter } });
    }
  }
}

/** Throws `WriteConflict` where what a change was computed from has changed, and what the server says otherwise. */
async function run(store: Store, step: InPlaceStep): Promise<void> {
  const sent = operationOf(step);
  if (!sent) return;
  const { source, operation } = sent;
  const collection = collectionOf(store, source);
  const conflict = () => new WriteConflict(step.type.collectionName);
  if ('insertOne' in operation)
    await collection.insertOne(operation.insertOne.document).catch((error: unknown) => {
      throw step.kind === 'saveDraft' && isDuplicateKey(error) ? conflict() : error;
    });
  else if ('deleteOne' in operation) await collection.deleteOne(operation.deleteOne.filter);
  else if ('replaceOne' in operation) {
    const { filter, replacement } = operation.replaceOne;
    if ((await collection.replaceOne(filter, replacement)).matchedCount === 0) throw conflict();
  } else if ('updateOne' in operation) {
    const { filter, update, upsert = false } = operation.updateOne;
    const { matchedCount, upsertedCount } = await collection.updateOne(filter, update, { upsert });
    if ((upsert ? upsertedCount : matchedCount) === 0) throw conflict();
  }
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

/** Where writes of adopted documents go. */
type AdoptedWriter = Pick<AdoptedDocuments, 'run'> & {
  tell(events: readonly ChangeEvent[]): Promise<void>;
};

const sendingTo = (store: Store): AdoptedWriter => ({
  run: (step) => run(store, step),
  tell: (events) => addEvents(store.db, events, null),
});

export const adoptedDocuments = (store: Store, writer = sendingTo(store)): AdoptedDocuments => ({
  keys: (type, texts) => findKeys(store, type, texts),
  read: (type, id) => readIn(store, { type, status: 'published' }, id),
  readDraft: (type, id) => readDraft(store, type, id),
  readPath: (type, ids, path) => readPath(store, type, ids, path),
  greatestKey: (type) => greatestKey(store, type),
  firstKey: (type) => firstKey(store, type),
  run: writer.run,
  tell: (events, theirs) =>
    writer.tell(
      events.filter(
        ({ uid, event }) => !(theirs && store.content.watched.has(uid) && STREAM_EVENTS.has(event)),
      ),
    ),
});
