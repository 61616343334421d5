import { randomBytes } from 'node:crypto';
import type { Document } from 'bson';
import { EngineError, fail } from '../errors.js';
import type { CollectionMeta, IndexMeta } from '../storage/catalog.js';
import { namespaceOf, newIndex } from '../storage/catalog.js';
import type { Writable } from '../storage/view.js';

/** The maximum length of a database name, in bytes. */
const LONGEST_DATABASE = 63;

/** The index that every collection has. */
/** What each collection has. */
export const ID_INDEX = { v: 2, key: { _id: 1 }, name: '_id_' };

const idIndex = (table: number, collation: unknown): IndexMeta =>
  newIndex(table, {
    ...ID_INDEX,
    ...(collation === undefined ? {} : { collation }),
  });

function uuid(): Buffer {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes;
}

/** Databases used by the server itself. */
export const OWN_DATABASES: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/** System collections that clients may write to. */
const WRITABLE_SYSTEM = new Set([
  'system.js',
  'system.users',
  'system.roles',
  'system.version',
  'system.keys',
]);

/** Rejects names that are reserved for the server. Throws InvalidNamespace. */
export function refuseSystem(db: string, name: string): void {
  if (name.startsWith('system.') && !WRITABLE_SYSTEM.has(name)) {
    fail('InvalidNamespace', `cannot write to '${db}.${name}'`);
  }
}

function checkDatabase(view: Writable, db: string): void {
  if (db === '' || /[/\\. "$\0]/.test(db) || Buffer.byteLength(db) > LONGEST_DATABASE) {
    fail('InvalidNamespace', `Invalid database name: '${db}'`);
  }
  const folded = db.toLowerCase();
  const other = view.catalog.databaseLike((name) => name !== db && name.toLowerCase() === folded);
  if (other !== undefined) {
    fail(
      'DatabaseDifferCase',
      `db already exists with different case already have: [${other}] trying to create [${db}]`,
    );
  }
}

/** Adds a collection to the catalogue. */
export function createCollection(
  view: Writable,
  db: string,
  name: string,
  options: Document,
): CollectionMeta {
  checkDatabase(view, db);
  const table = view.catalog.newTable();
  refuseSystem(db, name);
  const indexes =
    options['viewOn'] === undefined ? [idIndex(view.catalog.newTable(), options['collation'])] : [];
  const meta = { table, db, name, uuid: uuid(), options, indexes };
  view.saveCollection(meta);
  view.log({ type: 'create', db, collection: name });
  return meta;
}

/** The collection to write to, created if it does not exist. Throws for a view. */
export function collectionForWrite(view: Writable, db: string, name: string): CollectionMeta {
  const meta = view.catalog.get(db, name);
  if (meta === undefined) return createCollection(view, db, name, {});
  refuseView(meta);
  return meta;
}

/** Throws CommandNotSupportedOnView. */
export function refuseView(meta: CollectionMeta): void {
  if (meta.options['viewOn'] !== undefined) {
    refuseSystem(meta.db, meta.name);
    const ns = namespaceOf(meta.db, meta.name);
    throw new EngineError('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  }
}

/** Throws NamespaceNotFound. */
export function existing(meta: CollectionMeta | undefined, ns: string): CollectionMeta {
  return meta ?? fail('NamespaceNotFound', `ns does not exist: ${ns}`);
}
