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

interface Refused {
  readonly _id: string;
  readonly reason: string;
}

const ROUTE = 'unsupported route:';

/** Routes whose code asked for what Mangrove does not have since the last start, for `doctor`. */
export interface UnsupportedRoutes {
  note(route: string, reason: string): Promise<void>;
  /** For a start: the code may have changed. */
  clear(): Promise<void>;
}

export const unsupportedRoutes = ({ db }: Store): UnsupportedRoutes => {
  const routes = settingsOf<Refused>(db);
  return {
    async note(route, reason) {
      await routes.updateOne({ _id: ROUTE + route }, { $set: { reason } }, { upsert: true });
    },
    async clear() {
      await routes.deleteMany({ _id: { $regex: `^${ROUTE}` } });
    },
  };
};

export const listUnsupported = async ({
  db,
}: Store): Promise<readonly { readonly route: string; readonly reason: string }[]> => {
  const found = await settingsOf<Refused>(db)
    .find({ _id: { $regex: `^${ROUTE}` } })
    .sort({ _id: 1 })
    .toArray();
  return found.map(({ _id, reason }) => ({ route: _id.slice(ROUTE.length), reason }));
};

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
