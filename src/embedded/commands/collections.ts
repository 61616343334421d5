import { randomBytes } from 'node:crypto';
import type { Document } from 'bson';
import { EngineError, fail } from '../errors.js';
import type { CollectionMeta, IndexMeta } from '../storage/catalog.js';
import { namespaceOf } from '../storage/catalog.js';
import type { Writable } from '../storage/view.js';

/** The index that every collection has. */
export const idIndex = (table: number): IndexMeta => ({
  table,
  spec: { v: 2, key: { _id: 1 }, name: '_id_' },
  multikey: [],
});

function uuid(): Buffer {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes;
}

/** Adds a collection to the catalogue. */
export function createCollection(
  view: Writable,
  db: string,
  name: string,
  options: Document,
): CollectionMeta {
  if (db === '' || /[/\\. "$\0]/.test(db)) fail('InvalidNamespace', `Invalid database name: '${db}'`);
  const table = view.catalog.newTable();
  const indexes = options['viewOn'] === undefined ? [idIndex(view.catalog.newTable())] : [];
  const meta = { table, db, name, uuid: uuid(), options, indexes };
  view.saveCollection(meta);
  view.log({ type: 'create', db, collection: name });
  return meta;
}

/** The collection to write to; made if it is not there. Throws for a view. */
export function collectionForWrite(view: Writable, db: string, name: string): CollectionMeta {
  const meta = view.catalog.get(db, name);
  if (meta === undefined) return createCollection(view, db, name, {});
  refuseView(meta);
  return meta;
}

/** Throws CommandNotSupportedOnView. */
export function refuseView(meta: CollectionMeta): void {
  if (meta.options['viewOn'] !== undefined) {
    const ns = namespaceOf(meta.db, meta.name);
    throw new EngineError('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  }
}

/** Throws NamespaceNotFound. */
export function existing(meta: CollectionMeta | undefined, ns: string): CollectionMeta {
  return meta ?? fail('NamespaceNotFound', `ns does not exist: ${ns}`);
}
