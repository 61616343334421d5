/**
 * Writes of documents that other programs also write: each write is one command that changes only the paths
 * it names.
 */
import type { AnyBulkWriteOperation, Document, UpdateFilter } from 'mongodb';
import { sourcesOf } from '../../pipeline/sources/sources-of.js';
import { storedAs } from '../../pipeline/sources/stored.js';
import type { Source } from '../../pipeline/types.js';
import type { ContentType } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import { valueAt } from '../../values/path.js';
import { collectionOf } from '../connection/collections.js';
import { deleteNamed } from '../connection/delete.js';
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
      /** Whether another key may be chosen if this one is taken. */
      readonly anyKey: boolean;
      /** Inserts only if the collection is empty. */
      readonly onlyIfEmpty?: boolean;
    }
  | {
      readonly kind: 'update';
      readonly type: ContentType;
      readonly id: unknown;
      /**
       * The values that the update was computed from and that must be unchanged, by path; undefined: the path
       * must not exist.
       */
      readonly compared: ReadonlyMap<string, unknown>;
      readonly set: Document;
      readonly unset: readonly string[];
      /** The document that it makes of what it was computed from. */
      readonly document: Document;
    }
  | { readonly kind: 'delete'; readonly type: ContentType; readonly id: unknown }
  | {
      readonly kind: 'saveDraft';
      readonly type: ContentType;
      readonly draft: AdoptedDraft;
      /** The revision of the draft that it replaces; 0 if there is none. */
      readonly replaces: number;
    }
  /** `revision`: drop only this revision. */
  | {
      readonly kind: 'dropDraft';
      readonly type: ContentType;
      readonly id: unknown;
      readonly revision?: number;
    };

/** A draft of a document in an adopted collection. */
export interface AdoptedDraft {
  readonly id: unknown;
  /** The whole document, as it would be published. */
  readonly document: Document;
  /** The paths that differ from the published document; null if it was never published. */
  readonly changed: readonly string[] | null;
}

/** Incremented with each save. */
export interface StoredDraft extends AdoptedDraft {
  readonly revision: number;
}

/** The key under which a stored draft keeps its metadata. */
const DRAFT = '_draft';

type Operation = AnyBulkWriteOperation<Document>;

/** The operation for a step, and its collection; null if it changes nothing. */
export function operationOf(step: InPlaceStep): { source: Source; operation: Operation } | null {
  const { type } = step;
  const live = (operation: Operation) => ({ source: storedAs(type, 'published'), operation });
  const inDrafts = (operation: Operation) => ({ source: storedAs(type, 'draft'), operation });
  switch (step.kind) {
    case 'insert': {
      const { document, onlyIfEmpty } = step;
      return live(
        onlyIfEmpty
          ? { updateOne: { filter: {}, update: { $setOnInsert: document }, upsert: true } }
          : { insertOne: { document: { ...document } } },
      );
    }
    case 'delete':
      return live({ deleteOne: { filter: anyFilter({ _id: step.id }) } });
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
      return live({ updateOne: { filter: anyFilter({ $and: [{ _id: id }, ...same] }), update } });
    }
    case 'saveDraft': {
      const { draft, replaces } = step;
      const about = { revision: replaces + 1, changed: draft.changed, at: new Date() };
      const document = { ...draft.document, [DRAFT]: about };
      if (replaces === 0) return inDrafts({ insertOne: { document: { ...document, _id: anyId(draft.id) } } });
      const filter = anyFilter({ _id: draft.id, [`${DRAFT}.revision`]: replaces });
      return inDrafts({ replaceOne: { filter, replacement: document } });
    }
    case 'dropDraft': {
      const { id, revision } = step;
      const filter = anyFilter({ _id: id, ...(revision && { [`${DRAFT}.revision`]: revision }) });
      return inDrafts({ deleteOne: { filter } });
    }
  }
}

/**
 * Throws `WriteConflict` if something that the change was computed from has changed, and otherwise the
 * server's errors.
 */
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
  else if ('deleteOne' in operation) {
    const isGone = await deleteNamed(collection, operation.deleteOne.filter);
    // A draft that was published may be another by now: it stays.
    if (!isGone && !('revision' in step)) throw conflict();
  } else if ('replaceOne' in operation) {
    const { filter, replacement } = operation.replaceOne;
    if ((await collection.replaceOne(filter, replacement)).matchedCount === 0) throw conflict();
  } else if ('updateOne' in operation) {
    const { filter, update, upsert = false } = operation.updateOne;
    const { matchedCount, upsertedCount } = await collection.updateOne(filter, update, { upsert });
    if ((upsert ? upsertedCount : matchedCount) === 0) throw conflict();
  }
}

async function readDraft(store: Store, type: ContentType, id: unknown): Promise<StoredDraft | null> {
  const found = await readIn(store, storedAs(type, 'draft'), id);
  if (!found) return null;
  const { [DRAFT]: about, ...document } = found;
  const { revision, changed }: { revision: unknown; changed: string[] | null } = about;
  return { id, document, changed, revision: Number(String(revision)) };
}

/** A stored document, whose values keep their BSON types; null if there is none. */
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
  const lists = sourcesOf(type, 'draft').map((source) =>
    collectionOf(store, source)
      .find(anyFilter({ _id: { $in: [...ids] } }), {
        projection: { [path]: 1 },
        promoteValues: false,
      })
      .toArray(),
  );
  // The values of a draft take precedence over the published ones.
  return (await Promise.all(lists)).flat();
};

/** Those of the values that the path has in some document, as texts. */
async function present(
  store: Store,
  type: ContentType,
  path: string,
  values: readonly unknown[],
): Promise<ReadonlySet<string>> {
  const filter = anyFilter({ [path]: { $in: [...values] } });
  const found = await Promise.all(
    sourcesOf(type, 'draft').map((source) =>
      collectionOf(store, source)
        .find(filter, { projection: { [path]: 1 }, promoteValues: false })
        .toArray(),
    ),
  );
  return new Set(
    found.flat().flatMap((row) => [valueAt(row, path)].flat().map((each) => keyText(each ?? null))),
  );
}

/** The `_id` of the first document, which is the document of a single type; undefined if there is none. */
async function firstKey(store: Store, type: ContentType): Promise<unknown> {
  for (const source of sourcesOf(type, 'draft')) {
    const [first] = await collectionOf(store, source)
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(1)
      .toArray();
    if (first) return first._id;
  }
  return undefined;
}

/** The greatest numeric `_id` of a document or draft; 0 if there is none. */
async function greatestKey(store: Store, type: ContentType): Promise<number> {
  const keys = sourcesOf(type, 'draft').map(async (source) => {
    const [last] = await collectionOf(store, source)
      .find(anyFilter({ _id: { $type: 'number' } }), { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    return Number(last?._id ?? 0) || 0;
  });
  return Math.max(...(await Promise.all(keys)));
}

/** The events that a change stream reports. */
const STREAM_EVENTS: ReadonlySet<ChangeEventName> = new Set(['entry.create', 'entry.update', 'entry.delete']);

/** The database operations of writes to adopted documents. */
export interface AdoptedDocuments {
  /** Finds the `_id`s for the texts of URLs, by text. */
  keys(type: ContentType, texts: readonly string[]): Promise<ReadonlyMap<string, unknown>>;
  read(type: ContentType, id: unknown): Promise<Document | null>;
  readDraft(type: ContentType, id: unknown): Promise<StoredDraft | null>;
  readPath(type: ContentType, ids: readonly unknown[], path: string): Promise<Document[]>;
  present(type: ContentType, path: string, values: readonly unknown[]): Promise<ReadonlySet<string>>;
  greatestKey(type: ContentType): Promise<number>;
  firstKey(type: ContentType): Promise<unknown>;
  run(step: InPlaceStep): Promise<void>;
  /**
   * Adds events to the outbox after the changes that they report. `inCollection`: the changes are in the adopted
   * collection, where a change stream may report them.
   */
  addEvents(events: readonly ChangeEvent[], inCollection: boolean): Promise<void>;
}

/** Sends the writes of adopted documents. */
type AdoptedWriter = Pick<AdoptedDocuments, 'run'> & {
  addEvents(events: readonly ChangeEvent[]): Promise<void>;
};

const sendingTo = (store: Store): AdoptedWriter => ({
  run: (step) => run(store, step),
  addEvents: (events) => addEvents(store.db, events, null),
});

export const adoptedDocuments = (store: Store, writer = sendingTo(store)): AdoptedDocuments => ({
  keys: (type, texts) => findKeys(store, type, texts),
  read: (type, id) => readIn(store, storedAs(type, 'published'), id),
  readDraft: (type, id) => readDraft(store, type, id),
  readPath: (type, ids, path) => readPath(store, type, ids, path),
  present: (type, path, values) => present(store, type, path, values),
  greatestKey: (type) => greatestKey(store, type),
  firstKey: (type) => firstKey(store, type),
  run: writer.run,
  addEvents: (events, inCollection) =>
    writer.addEvents(
      events.filter(
        ({ uid, event }) => !(inCollection && store.content.watched.has(uid) && STREAM_EVENTS.has(event)),
      ),
    ),
});
