import { MongoClient } from 'mongodb';
import type { ForeignDocument } from './foreign.js';

const BATCH = 500;

/** Puts documents into a collection of a scratch database, as they are. @returns how many */
export async function fillForeign(
  uri: string,
  collection: string,
  documents: AsyncIterable<ForeignDocument>,
): Promise<number> {
  const client = new MongoClient(uri, { promoteValues: false });
  try {
    const target = client.db('strapi').collection(collection);
    let count = 0;
    let batch: ForeignDocument[] = [];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) await target.insertMany(batch);
      count += batch.length;
      batch = [];
    };
    for await (const document of documents) {
      batch.push(document);
      if (batch.length >= BATCH) await flush();
    }
    await flush();
    return count;
  } finally {
    await client.close();
  }
}
