import { settingsOf } from './connection/settings.js';
import type { Store } from './connection/store.js';

interface Stored {
  readonly _id: string;
  readonly reason: string;
}

interface UnsupportedRoute {
  readonly route: string;
  readonly reason: string;
}

/** Routes whose code asked for what Mangrove does not have since the last start, for `doctor`. */
export interface UnsupportedRoutes {
  note(route: string, reason: string): Promise<void>;
  /** In the order of their names. */
  list(): Promise<readonly UnsupportedRoute[]>;
  /** For a start: the code may have changed. */
  clear(): Promise<void>;
}

const PREFIX = 'unsupported route:';
const ALL = { _id: { $regex: `^${PREFIX}` } };

export const unsupportedRoutes = ({ db }: Pick<Store, 'db'>): UnsupportedRoutes => {
  const routes = settingsOf<Stored>(db);
  return {
    async note(route, reason) {
      await routes.updateOne({ _id: PREFIX + route }, { $set: { reason } }, { upsert: true });
    },
    async list() {
      const found = await routes.find(ALL).sort({ _id: 1 }).toArray();
      return found.map(({ _id, reason }) => ({ route: _id.slice(PREFIX.length), reason }));
    },
    async clear() {
      await routes.deleteMany(ALL);
    },
  };
};
