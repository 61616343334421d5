import { createHash } from 'node:crypto';
import type { Document } from 'bson';
import { decodeDocument } from '../values/index.js';
import { encodeDocument } from './encode.js';
import { EMPTY_TABLE, FIRST_FREE_TABLE, META_TABLE, tableKey } from './layout.js';

/** An index: its table, its specification as shown by listIndexes, and the positions on its paths where arrays have occurred. */
export interface IndexMeta {
  readonly table: number;
  readonly spec: Document;
  readonly multikey: readonly string[];
  /** Some key was too long and was cut, so the index no longer provides an order. */
  readonly cut?: boolean;
}

/** An index that is about to be filled. */
export const newIndex = (table: number, spec: Document): IndexMeta => ({
  table,
  spec,
  multikey: [],
});

/** A collection or view. Each change creates a new value, so that it can be a cache key. */
export interface CollectionMeta {
  readonly table: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: Uint8Array;
  readonly options: Document;
  readonly indexes: readonly IndexMeta[];
}

export const namespaceOf = (db: string, name: string): string => `${db}.${name}`;

/** The collection of a database's views, which can only be read. */
export const SYSTEM_VIEWS = 'system.views';

export const systemViewsId = (db: string): Buffer =>
  createHash('md5').update(namespaceOf(db, SYSTEM_VIEWS)).digest();

/** The views among some collections. */
export const viewsAmong = (all: readonly CollectionMeta[]): CollectionMeta[] =>
  all.filter(({ options }) => options['viewOn'] !== undefined);

/** What represents `system.views`: a view of the definitions. */
function systemViews(db: string, views: readonly CollectionMeta[]): CollectionMeta | undefined {
  if (views.length === 0) return undefined;
  const definitions = views.map(({ name, options }) => ({ _id: namespaceOf(db, name), ...options }));
  const options = { viewOn: SYSTEM_VIEWS, pipeline: [{ $documents: { $literal: definitions } }] };
  return { table: EMPTY_TABLE, db, name: SYSTEM_VIEWS, uuid: systemViewsId(db), options, indexes: [] };
}

const COLLECTION = Buffer.from('c');
const COUNT = Buffer.from('n');
const DOOMED = Buffer.from('d');

const number = (value: number): Buffer => {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeDoubleBE(value, 0);
  return bytes;
};

export const collectionKey = (table: number): Buffer => tableKey(META_TABLE, COLLECTION, number(table));
export const countKey = (table: number): Buffer => tableKey(META_TABLE, COUNT, number(table));
/** Marks a table whose entries are to be removed. */
export const doomedKey = (table: number): Buffer => tableKey(META_TABLE, DOOMED, number(table));
export const encodeCount = number;
export const decodeCount = (value: Buffer | undefined): number => value?.readDoubleBE(0) ?? 0;

export function encodeCollection(meta: CollectionMeta): Buffer {
  return encodeDocument({ ...meta, uuid: Buffer.from(meta.uuid).toString('hex') });
}

function decodeCollection(bytes: Buffer): CollectionMeta {
  const stored = decodeDocument(bytes);
  return { ...stored, uuid: Buffer.from(stored['uuid'], 'hex') } as unknown as CollectionMeta;
}

/** A layer of changes over the committed catalogue: what a batch or transaction has created, altered or dropped. */
export class CatalogLayer {
  readonly changed = new Map<string, CollectionMeta | null>();

  /** The committed collections when the layer was created. */
  readonly below: ReadonlyMap<string, CollectionMeta>;

  constructor(private readonly base: Catalog) {
    this.below = base.collections;
  }

  get(db: string, name: string): CollectionMeta | undefined {
    const ns = namespaceOf(db, name);
    const own = this.changed.size === 0 ? undefined : this.changed.get(ns);
    if (own !== undefined) return own ?? undefined;
    const found = this.below.get(ns);
    if (found !== undefined || name !== SYSTEM_VIEWS) return found;
    return systemViews(db, viewsAmong(this.list(db)));
  }

  set(meta: CollectionMeta): void {
    this.changed.set(namespaceOf(meta.db, meta.name), meta);
  }

  remove(db: string, name: string): void {
    this.changed.set(namespaceOf(db, name), null);
  }

  newTable(): number {
    return this.base.newTable();
  }

  /** A database that has a collection, with its actual name. */
  databaseLike(test: (db: string) => boolean): string | undefined {
    for (const meta of this.changed.values()) if (meta !== null && test(meta.db)) return meta.db;
    for (const [ns, meta] of this.below) {
      if (test(meta.db) && this.changed.get(ns) !== null) return meta.db;
    }
    return undefined;
  }

  /** All collections, or those of one database, by name. */
  list(db?: string): CollectionMeta[] {
    const all = new Map<string, CollectionMeta | null>(this.below);
    for (const [ns, meta] of this.changed) all.set(ns, meta);
    const found = [...all.values()].filter((meta) => meta !== null && (db === undefined || meta.db === db));
    return (found as CollectionMeta[]).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** The committed catalogue: every collection, and the tables still to be emptied. */
export class Catalog {
  /** Replaced by each change rather than altered, so that a reader can keep the one that it started with. */
  collections: ReadonlyMap<string, CollectionMeta> = new Map();
  readonly doomed = new Set<number>();
  private lastTable = FIRST_FREE_TABLE;

  newTable(): number {
    this.lastTable += 1;
    return this.lastTable;
  }

  /** Applies the changes of a committed batch. */
  merge(layer: CatalogLayer): void {
    if (layer.changed.size === 0) return;
    const collections = new Map(this.collections);
    for (const [ns, meta] of layer.changed) {
      if (meta === null) collections.delete(ns);
      else collections.set(ns, meta);
    }
    this.collections = collections;
  }

  /** Reads the stored catalogue at the start. */
  load(entries: Iterable<{ key: Buffer; value: Buffer }>): void {
    const collections = new Map<string, CollectionMeta>();
    for (const { key, value } of entries) {
      const table = key.readDoubleBE(5);
      this.lastTable = Math.max(this.lastTable, table);
      const kind = String.fromCharCode(key[4] ?? 0);
      if (kind === 'd') this.doomed.add(table);
      if (kind === 'c') {
        const meta = decodeCollection(value);
        collections.set(namespaceOf(meta.db, meta.name), meta);
        for (const index of meta.indexes) this.lastTable = Math.max(this.lastTable, index.table);
      }
    }
    this.collections = collections;
  }
}
