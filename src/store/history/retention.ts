import type { Db } from 'mongodb';
import { historyName } from '../../schema/stored/collections.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { databaseTime } from '../connection/database-time.js';
import { repeatWhileOpen } from '../connection/repeat.js';
import type { Store } from '../connection/store.js';
import { FOREVER } from './versions.js';

const DAY = 24 * 3600 * 1000;
/** Milliseconds between removals of what is no longer kept, and before the first. */
const [EVERY, FIRST] = [3_600_000, 60_000];

const keeping = ({ contentTypes }: Schema): readonly ContentType[] =>
  [...contentTypes.values()].filter(({ history }) => history !== null);

/** Deletes the replaced versions that the types no longer keep. Current versions stay. */
export async function forgetVersions(db: Db, schema: Schema): Promise<void> {
  for (const { history, ...type } of keeping(schema)) {
    const collection = historyName(type);
    const { days = null, count = null } = history ?? {};
    if (days !== null) {
      const since = new Date((await databaseTime(db)).getTime() - days * DAY);
      await db.collection(collection).deleteMany({ '_version.until': { $lt: since } });
    }
    if (count !== null) await forgetAllBut(db, collection, count);
  }
}

/** Deletes the oldest replaced versions of entries that have more than `count`. */
async function forgetAllBut(db: Db, collection: string, count: number): Promise<void> {
  const versions = db.collection(collection);
  const many = versions.aggregate<{ _id: unknown; documentId: unknown }>([
    { $match: { '_version.until': { $lt: FOREVER } } },
    { $group: { _id: '$_version.entry', documentId: { $first: '$documentId' }, n: { $sum: 1 } } },
    { $match: { n: { $gt: count } } },
  ]);
  for await (const { _id: entry, documentId } of many) {
    const own = { documentId, '_version.entry': entry, '_version.until': { $lt: FOREVER } };
    const old = await versions
      .find(own, { projection: { _id: 1 } })
      .sort({ '_version.until': -1 })
      .skip(count)
      .toArray();
    await versions.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
  }
}

/** Does so every hour while the store is open. Several processes do it; each finds what the others have left. */
export function startForgetting(store: Store, schema: Schema): void {
  if (keeping(schema).length > 0)
    repeatWhileOpen(store, { every: EVERY, first: FIRST }, () => forgetVersions(store.db, schema));
}
