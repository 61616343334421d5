import { settingsOf } from './connection/settings.js';
import type { Store } from './connection/store.js';

interface Stored {
  readonly _id: string;
  /** JSON: values may have keys that MongoDB does not store. */
  readonly json: string;
}

/** What a project's code keeps under a name of its own. */
export interface CodeValues {
  /** Undefined if there is none. */
  get(key: string): Promise<unknown>;
  /** `undefined` is stored as null. */
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

const idOf = (key: string): string => `code:${key}`;

export const codeValues = ({ db }: Store): CodeValues => {
  const values = settingsOf<Stored>(db);
  return {
    async get(key) {
      const found = await values.findOne({ _id: idOf(key) });
      return found ? JSON.parse(found.json) : undefined;
    },
    async set(key, value) {
      const json = JSON.stringify(value) ?? 'null';
      await values.updateOne({ _id: idOf(key) }, { $set: { json } }, { upsert: true });
    },
    async delete(key) {
      await values.deleteOne({ _id: idOf(key) });
    },
  };
};
