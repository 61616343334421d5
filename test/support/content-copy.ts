/** Everything that a database contains, to fill another one with. */
import { EJSON } from 'bson';
import type { Db, Document } from 'mongodb';
import { collectionNames } from '../../src/store/connection/collections.js';

/** The documents of all collections, as text. */
export async function contentOf(db: Db): Promise<string> {
  const content: Record<string, Document[]> = {};
  for (const name of await collectionNames(db))
    content[name] = await db.collection(name).find({}, { promoteValues: false }).toArray();
  return EJSON.stringify(content, { relaxed: false });
}

/** Stores them in a database without these collections. Their indexes are for whoever opens it. */
export async function fill(db: Db, content: string): Promise<void> {
  const collections = EJSON.parse(content, { relaxed: false }) as Record<string, Document[]>;
  for (const [name, rows] of Object.entries(collections))
    if (rows.length > 0) await db.collection(name).insertMany(rows);
}
