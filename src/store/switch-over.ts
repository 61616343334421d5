import { type Db, MongoServerError } from 'mongodb';
import { putInPlace } from './import-entries.js';

/** A collection and the one whose place it takes. */
interface Placed {
  readonly from: string;
  readonly to: string;
}

interface Noted {
  readonly _id: 'switch';
  readonly collections: readonly Placed[];
}

/** `NamespaceNotFound`: another process was faster. */
const GONE = 26;

/**
 * Puts new collections in the place of old ones, all at once as far as the server goes: each in one step, and all of them side by
 * side. What is to be done is noted before the first of them, so that a start of any process completes what another one left.
 */
export async function switchCollections(db: Db, collections: readonly Placed[]): Promise<void> {
  const settings = db.collection<Noted>('mangrove.settings');
  await settings.replaceOne({ _id: 'switch' }, { collections }, { upsert: true });
  await place(db, collections);
  await settings.deleteOne({ _id: 'switch' });
}

/** Completes a switch whose process ended within it. */
export async function completeSwitch(db: Db): Promise<void> {
  const noted = await db.collection<Noted>('mangrove.settings').findOne({ _id: 'switch' });
  if (noted) await switchCollections(db, noted.collections);
}

const place = async (db: Db, collections: readonly Placed[]): Promise<void> => {
  await Promise.all(
    collections.map(({ from, to }) =>
      putInPlace(db, from, to).catch((error: unknown) => {
        if (!(error instanceof MongoServerError) || error.code !== GONE) throw error;
      }),
    ),
  );
};
