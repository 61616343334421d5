import { encodeDocument } from '../storage/encode.js';
import { existing, refuseView } from './collections.js';
import { firstBatch } from './cursor-reply.js';
import { type Command, collectionName, read } from './operation.js';
import { batchSizeOf } from './query-options.js';

export const listIndexes: Command = (operation) => {
  const { engine, db, body, meter } = operation;
  const name = collectionName(operation);
  const meta = existing(
    read(operation, (reader) => reader.catalog.get(db, name)),
    `${db}.${name}`,
  );
  refuseView(meta);
  const rows = meta.indexes.map((index) => encodeDocument(index.spec))[Symbol.iterator]();
  const cursor = { ns: `${db}.${name}`, rows, meter, close: () => {}, lastUsed: Date.now(), busy: false };
  return firstBatch(engine, cursor, { batchSize: batchSizeOf(body) });
};
