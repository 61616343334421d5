import type { Document } from 'bson';
import type { CollectionMeta } from '../storage/catalog.js';
import { tableRange } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { type Command, collectionName, read } from './operation.js';

const SAMPLE = 200;

/** The bytes of a collection, estimated from its first documents. */
function sizeOf(reader: Reader, meta: CollectionMeta): number {
  let bytes = 0;
  let seen = 0;
  for (const { value } of reader.entries(tableRange(meta.table))) {
    bytes += value.length;
    seen += 1;
    if (seen === SAMPLE) break;
  }
  return seen === 0 ? 0 : Math.round((bytes / seen) * reader.count(meta.table));
}

/** Numbers about one collection; sizes are estimates. */
export function collectionStats(reader: Reader, meta: CollectionMeta): Document {
  const count = reader.count(meta.table);
  const size = sizeOf(reader, meta);
  return {
    ns: `${meta.db}.${meta.name}`,
    count,
    size,
    avgObjSize: count === 0 ? 0 : Math.round(size / count),
    storageSize: size,
    capped: meta.options['capped'] === true,
    nindexes: meta.indexes.length,
    totalIndexSize: 0,
    totalSize: size,
    scaleFactor: 1,
  };
}

export const collStats: Command = (operation) => {
  const name = collectionName({ ...operation, name: operation.name });
  return read(operation, (reader) => {
    const meta = reader.catalog.get(operation.db, name);
    if (meta === undefined)
      return {
        ns: `${operation.db}.${name}`,
        count: 0,
        size: 0,
        storageSize: 0,
        nindexes: 0,
        totalIndexSize: 0,
      };
    return collectionStats(reader, meta);
  });
};

export const dbStats: Command = (operation) =>
  read(operation, (reader) => {
    const all = reader.catalog.list(operation.db);
    const collections = all.filter((meta) => meta.options['viewOn'] === undefined);
    const dataSize = collections.reduce((sum, meta) => sum + sizeOf(reader, meta), 0);
    return {
      db: operation.db,
      collections: collections.length,
      views: all.length - collections.length,
      objects: collections.reduce((sum, meta) => sum + reader.count(meta.table), 0),
      dataSize,
      storageSize: dataSize,
      indexes: collections.reduce((sum, meta) => sum + meta.indexes.length, 0),
      indexSize: 0,
      totalSize: dataSize,
      scaleFactor: 1,
    };
  });
