import type { Db, Document } from 'mongodb';
import { inLists } from '../../values/group.js';
import { collectionNames } from '../connection/collections.js';
import { unlessDuplicate } from '../connection/duplicate.js';
import { settingsOf } from '../connection/settings.js';

/** A document in a staging collection; its `_id` is a number in order of arrival, or a key. */
export interface Staged {
  readonly _id: string | number;
}

/**
 * Temporary collections with the data of an import in progress, so that it is not limited by memory and can
 * be resumed. All writes are idempotent: existing documents are left unchanged.
 */
export interface Staging {
  add(name: string, documents: readonly Staged[]): Promise<void>;
  /** The documents with these keys. */
  find<T extends Staged>(name: string, keys: readonly string[]): Promise<ReadonlyMap<string, T>>;
  findBy<T extends Staged>(name: string, field: string, values: readonly string[]): Promise<T[]>;
  replace(name: string, documents: readonly Staged[]): Promise<void>;
  /** All documents in batches, by `_id` or by `order`. */
  batches<T extends Staged>(name: string, order?: string): AsyncIterable<readonly T[]>;
  count(name: string): Promise<number>;
  index(name: string, field: string): Promise<void>;
  drop(): Promise<void>;
}

const PREFIX = 'mangrove.import.';
const BATCH = 1000;

export function openStaging(db: Db): Staging {
  const collection = (name: string) => db.collection<Staged & Document>(`${PREFIX}${name}`);
  const findBy = async <T extends Staged>(
    name: string,
    field: string,
    values: readonly string[],
  ): Promise<T[]> => {
    const found: T[] = [];
    for (let at = 0; at < values.length; at += BATCH) {
      const filter = { [field]: { $in: values.slice(at, at + BATCH) } };
      found.push(...(await collection(name).find<T>(filter).toArray()));
    }
    return found;
  };
  return {
    async add(name, documents) {
      if (documents.length === 0) return;
      await collection(name)
        .insertMany([...documents], { ordered: false })
        .catch(unlessDuplicate);
    },
    async find<T extends Staged>(name: string, keys: readonly string[]) {
      return new Map((await findBy<T>(name, '_id', keys)).map((found) => [String(found._id), found]));
    },
    findBy,
    async replace(name, documents) {
      if (documents.length === 0) return;
      await collection(name).bulkWrite(
        documents.map((document) => ({
          replaceOne: { filter: { _id: document._id }, replacement: { ...document }, upsert: true },
        })) as Parameters<ReturnType<typeof collection>['bulkWrite']>[0],
        { ordered: false },
      );
    },
    async *batches<T extends Staged>(name: string, order = '_id') {
      const documents = collection(name)
        .find<T>({})
        .sort({ [order]: 1 })
        .batchSize(BATCH);
      yield* inLists(documents, BATCH);
    },
    count: (name) => collection(name).countDocuments(),
    index: async (name, field) => {
      await collection(name).createIndex({ [field]: 1 });
    },
    async drop() {
      for (const name of await collectionNames(db))
        if (name.startsWith(PREFIX)) await db.collection(name).drop();
    },
  };
}

const states = (db: Db) => settingsOf<{ readonly _id: string; readonly state: string }>(db);

/**
 * The state that an import keeps between runs. Staging may be lost; this stays until the import is complete.
 */
export const readImportState = async (db: Db): Promise<string | null> =>
  (await states(db).findOne({ _id: 'import' }))?.state ?? null;

/** @param state null when the import is complete */
export const writeImportState = async (db: Db, state: string | null): Promise<void> => {
  if (state === null) await states(db).deleteOne({ _id: 'import' });
  else await states(db).replaceOne({ _id: 'import' }, { state }, { upsert: true });
};

/** What only one import at a time may have. */
export const importLock = (db: Db) => ({ documents: settingsOf(db), _id: 'import/lock' });
