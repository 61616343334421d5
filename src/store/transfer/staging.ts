import type { Db, Document } from 'mongodb';
import { inLists } from '../../values/group.js';
import { namesIn } from '../connection/collections.js';
import { unlessDuplicate } from '../connection/duplicate.js';
import { settingsOf } from '../connection/settings.js';

/** A document of a staging collection; its `_id` is a number in the order of arrival, or a key. */
export interface Staged {
  readonly _id: string | number;
}

/**
 * Collections that hold what an import knows until it is done, so that neither memory nor a kill limits it. All writes may be repeated:
 * what is there already is left alone.
 */
export interface Staging {
  add(name: string, documents: readonly Staged[]): Promise<void>;
  /** Those of these keys that are there. */
  find<T extends Staged>(name: string, keys: readonly string[]): Promise<ReadonlyMap<string, T>>;
  findBy<T extends Staged>(name: string, field: string, values: readonly string[]): Promise<T[]>;
  replace(name: string, documents: readonly Staged[]): Promise<void>;
  /** All of them in the order of `_id`, or of `order`, batch by batch. */
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
      for (const name of await namesIn(db)) if (name.startsWith(PREFIX)) await db.collection(name).drop();
    },
  };
}

const states = (db: Db) => settingsOf<{ readonly _id: string; readonly state: string }>(db);

/** What an import remembers between two runs: staging may be gone, this stays until it is done. */
export const readImportState = async (db: Db): Promise<string | null> =>
  (await states(db).findOne({ _id: 'import' }))?.state ?? null;

/** Null: the import is done. */
export const writeImportState = async (db: Db, state: string | null): Promise<void> => {
  if (state === null) await states(db).deleteOne({ _id: 'import' });
  else await states(db).replaceOne({ _id: 'import' }, { state }, { upsert: true });
};
