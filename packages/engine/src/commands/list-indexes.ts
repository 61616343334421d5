import { SYSTEM_VIEWS } from '../storage/catalog.js';
import { existing, ID_INDEX, refuseView } from './collections.js';
import { firstBatch, listed } from './cursor-reply.js';
import { type Command, collectionName, read } from './operation.js';
import { batchSizeOf } from './query-options.js';

export const listIndexes: Command = (operation) => {
  const { engine, db, body, meter } = operation;
  const name = collectionName(operation);
  const meta = existing(
    read(operation, (reader) => reader.catalog.get(db, name)),
    `${db}.${name}`,
  );
  if (name !== SYSTEM_VIEWS) refuseView(meta);
  const specs = name === SYSTEM_VIEWS ? [ID_INDEX] : meta.indexes.map(({ spec }) => spec);
  return firstBatch(engine, listed(`${db}.${name}`, specs, meter), { batchSize: batchSizeOf(body) });
};
