import type { Db } from 'mongodb';
import { collections } from './content.js';

const BATCH = 1000;

/** Fills a database with the content for `size` restaurants. */
export const fill = async (db: Db, size: number, say: (text: string) => void): Promise<void> => {
  for (const { name, count, entry, index } of collections(size)) {
    say(`  ${name}: ${count}`);
    for (let from = 0; from < count; from += BATCH) {
      const length = Math.min(BATCH, count - from);
      await db.collection(name).insertMany(Array.from({ length }, (_, i) => entry(from + i)));
    }
    if (index) await db.collection(name).createIndex(index);
  }
};
