import { statfsSync } from 'node:fs';
import type { Document } from 'bson';
import type { Engine } from '../engine.js';
import { fail } from '../errors.js';
import type { CollectionMeta } from '../storage/catalog.js';
import { tableRange } from '../storage/layout.js';
import type { Reader } from '../storage/view.js';
import { isNumeric } from '../values/index.js';
import { toDouble } from '../values/numbers.js';
import { type Command, collectionName, type Operation, read } from './operation.js';

const SAMPLE = 200;

/** The size of a collection in bytes, estimated from its first documents. */
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

/** The divisor for sizes: `scale`, 1 by default. Throws BadValue for less than 1. */
function scaleOf({ body }: Operation): number {
  const given = body['scale'];
  if (given === undefined || given === null) return 1;
  if (!isNumeric(given)) return fail('TypeMismatch', "'scale' must be a number");
  const scale = Math.trunc(toDouble(given));
  return scale >= 1 ? scale : fail('BadValue', 'scale has to be >= 1');
}

/** Numbers about one collection; sizes are estimates, divided by `scale`. */
export function collectionStats(reader: Reader, meta: CollectionMeta, scale = 1): Document {
  const count = reader.count(meta.table);
  const bytes = sizeOf(reader, meta);
  const size = Math.trunc(bytes / scale);
  const { capped, size: most, max } = meta.options;
  return {
    ns: `${meta.db}.${meta.name}`,
    count,
    size,
    avgObjSize: count === 0 ? 0 : Math.round(bytes / count),
    storageSize: size,
    capped: capped === true,
    ...(capped === true ? { max: max ?? 0, maxSize: Math.trunc(most / scale) } : {}),
    nindexes: meta.indexes.length,
    indexSizes: Object.fromEntries(meta.indexes.map(({ spec }) => [spec['name'], 0])),
    totalIndexSize: 0,
    totalSize: size,
    scaleFactor: scale,
  };
}

export const collStats: Command = (operation) => {
  const name = collectionName(operation);
  const scale = scaleOf(operation);
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
    return collectionStats(reader, meta, scale);
  });
};

/** How full the file system with the data is, in bytes divided by `scale`. */
function diskOf({ dataDir }: Engine, scale: number): Document {
  const { blocks, bfree, bsize } = statfsSync(dataDir);
  return { fsUsedSize: ((blocks - bfree) * bsize) / scale, fsTotalSize: (blocks * bsize) / scale };
}

export const dbStats: Command = (operation) =>
  read(operation, (reader) => {
    const all = reader.catalog.list(operation.db);
    const collections = all.filter((meta) => meta.options['viewOn'] === undefined);
    const scale = scaleOf(operation);
    const bytes = collections.reduce((sum, meta) => sum + sizeOf(reader, meta), 0);
    const objects = collections.reduce((sum, meta) => sum + reader.count(meta.table), 0);
    const views = all.length - collections.length;
    const dataSize = bytes / scale;
    return {
      db: operation.db,
      // Views count as documents of one more collection, where MongoDB stores them.
      collections: collections.length + (views > 0 ? 1 : 0),
      views,
      objects,
      avgObjSize: objects === 0 ? 0 : bytes / objects,
      dataSize,
      storageSize: dataSize,
      indexes: collections.reduce((sum, meta) => sum + meta.indexes.length, 0),
      indexSize: 0,
      totalSize: dataSize,
      scaleFactor: scale,
      ...diskOf(operation.engine, scale),
    };
  });
