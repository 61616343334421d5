import { type Db, ObjectId } from 'mongodb';
import { collections } from './content.js';

const BATCH = 1000;
/** Batches under way at a time, so that the next are made while the server stores one. */
const AT_ONCE = 4;

/** Fills a database with the content for `size` restaurants. */
export const fill = async (db: Db, size: number, say: (text: string) => void): Promise<void> => {
  for (const { name, count, entry, index } of collections(size)) {
    say(`  ${name}: ${count}`);
    let next = 0;
    // `_id` comes first, as it is stored: the server need not write the document anew.
    const make = (n: number): object => ({ _id: new ObjectId(), ...entry(n) });
    const insert = async (): Promise<void> => {
      while (next < count) {
        const from = next;
        next = Math.min(count, from + BATCH);
        await db.collection(name).insertMany(Array.from({ length: next - from }, (_, i) => make(from + i)));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, insert));
    if (index) await db.collection(name).createIndex(index);
  }
};
