import { MongoClient } from 'mongodb';
import { memberOf } from '../../values/once-per.js';
import { endingCommands } from '../connection/closed-sockets.js';
import type { ForeignDocument, PlacedDocument } from './foreign.js';

const BATCH = 500;

/**
 * Inserts documents unchanged into the collections of a temporary database.
 * @param onStored called after each batch with the number of documents so far
 * @returns their number by collection
 */
export async function fillForeign(
  uri: string,
  documents: AsyncIterable<PlacedDocument>,
  onStored: (documents: number) => void,
): Promise<ReadonlyMap<string, number>> {
  const client = new MongoClient(uri, { promoteValues: false, ...endingCommands() });
  try {
    const counts = new Map<string, number>();
    let stored = 0;
    const batches = new Map<string, ForeignDocument[]>();
    const flush = async (name: string, batch: ForeignDocument[]): Promise<void> => {
      if (batch.length === 0) return;
      await client.db('strapi').collection(name).insertMany(batch);
      counts.set(name, (counts.get(name) ?? 0) + batch.length);
      stored += batch.length;
      onStored(stored);
      batches.delete(name);
    };
    for await (const { collection, document } of documents) {
      const batch = memberOf(batches, collection, () => []);
      batch.push(document);
      if (batch.length >= BATCH) await flush(collection, batch);
    }
    for (const [name, batch] of batches) await flush(name, batch);
    return counts;
  } finally {
    await client.close();
  }
}
