import { BSON, type Collection, type Document } from 'mongodb';

/** A batch ends at this many documents or bytes, whichever comes first. */
const MOST_DOCUMENTS = 1000;
const MOST_BYTES = 8 * 1024 * 1024;

// Values keep their BSON types; no number is converted to another type.
const AS_STORED = { promoteValues: false, promoteBuffers: false, bsonRegExp: true };

/**
 * Copies a collection's documents to another one and returns their number; `onProgress` is called with the running
 * count after each batch. Throws if some are missing from the target afterwards.
 */
export async function copyDocuments(
  source: Collection,
  target: Collection,
  onProgress: (count: number) => void,
): Promise<number> {
  let batch: Document[] = [];
  let bytes = 0;
  let count = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    await target.insertMany(batch, { bypassDocumentValidation: true });
    count += batch.length;
    batch = [];
    bytes = 0;
    onProgress(count);
  };
  for await (const document of source.find({}, AS_STORED).batchSize(MOST_DOCUMENTS)) {
    batch.push(document);
    bytes += BSON.calculateObjectSize(document);
    if (batch.length >= MOST_DOCUMENTS || bytes >= MOST_BYTES) await flush();
  }
  await flush();
  const arrived = await target.countDocuments();
  if (arrived !== count)
    throw new Error(`${source.collectionName}: ${count} documents were sent, ${arrived} arrived`);
  return count;
}
