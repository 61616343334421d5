import { randomUUID } from 'node:crypto';
import type { CollectionInfo, Db, IndexDescription } from 'mongodb';
import { anyId } from '../connection/filter.js';
import { copyDocuments } from './copy-documents.js';
import { dropCollection } from './import-entries.js';

/** What was copied of one collection. */
export interface CopiedCollection {
  readonly name: string;
  readonly documents: number;
  readonly indexes: number;
}

/** What a copy would do with one collection. */
interface PlannedCopy extends CopiedCollection {
  /** The target's collection with this name already contains documents. */
  readonly occupied: boolean;
}

export interface CopyOptions {
  /** Replace collections that already contain documents. */
  readonly overwrite?: boolean;
  /** Called as documents arrive and when a collection is complete. */
  readonly onProgress?: (name: string, documents: number, done: boolean) => void;
}

/** A copy was refused before anything was written. */
export class CopyError extends Error {}

const CREATE_OPTIONS = new Set([
  'capped',
  'size',
  'max',
  'collation',
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
]);

/** Collections first, then the views on them; without the server's system collections. */
async function entriesOf(source: Db): Promise<CollectionInfo[]> {
  const all = await source.listCollections<CollectionInfo>().toArray();
  const isView = ({ type }: CollectionInfo): number => Number(type === 'view');
  return all.filter(({ name }) => !name.startsWith('system.')).sort((a, b) => isView(a) - isView(b));
}

async function indexesOf(source: Db, name: string): Promise<IndexDescription[]> {
  const all = await source.collection(name).indexes();
  return all.filter((index) => index.name !== '_id_').map(({ v: _, ...spec }) => spec);
}

/**
 * What would be copied, and what the target already contains. Views count as collections without documents.
 */
export async function planCopy(source: Db, target: Db): Promise<PlannedCopy[]> {
  const planned: PlannedCopy[] = [];
  for (const { name, type } of await entriesOf(source)) {
    const isView = type === 'view';
    const found = await target.collection(name).findOne({}, { projection: { _id: 1 } });
    planned.push({
      name,
      documents: isView ? 0 : await source.collection(name).countDocuments(),
      indexes: isView ? 0 : (await indexesOf(source, name)).length,
      occupied: !isView && found !== null,
    });
  }
  return planned;
}

/**
 * Whether both are the same database, possibly under different URIs: writes a document to one and looks for
 * it in the other.
 */
async function isSame(source: Db, target: Db): Promise<boolean> {
  if (source.databaseName !== target.databaseName) return false;
  const mark = { _id: anyId(randomUUID()) };
  const marks = target.collection('mangrove.copying');
  await marks.insertOne(mark);
  try {
    return (await source.collection('mangrove.copying').findOne(mark)) !== null;
  } finally {
    await marks.drop();
  }
}

async function makeCollection(target: Db, { name, options }: CollectionInfo): Promise<void> {
  await dropCollection(target, name);
  const kept = Object.entries(options ?? {}).filter(([option]) => CREATE_OPTIONS.has(option));
  await target.createCollection(name, Object.fromEntries(kept));
}

/**
 * Copies every collection of a database, with its options and indexes, to another one. Throws a `CopyError`,
 * before writing anything, if both are the same, or if a collection of the target contains documents and may
 * not be replaced.
 */
export async function copyDatabase(
  source: Db,
  target: Db,
  { overwrite = false, onProgress }: CopyOptions = {},
): Promise<CopiedCollection[]> {
  if (await isSame(source, target)) throw new CopyError('The database cannot be copied onto itself');
  const planned = await planCopy(source, target);
  const occupied = planned.filter((one) => one.occupied).map(({ name }) => name);
  if (occupied.length > 0 && !overwrite)
    throw new CopyError(
      `${target.databaseName} already contains documents in ${occupied.join(', ')}; --overwrite replaces them`,
    );
  const out: CopiedCollection[] = [];
  for (const entry of await entriesOf(source)) {
    const { name, type } = entry;
    await makeCollection(target, entry);
    if (type === 'view') continue;
    const documents = await copyDocuments(source.collection(name), target.collection(name), (count) =>
      onProgress?.(name, count, false),
    );
    const specs = await indexesOf(source, name);
    if (specs.length > 0) await target.collection(name).createIndexes(specs);
    out.push({ name, documents, indexes: specs.length });
    onProgress?.(name, documents, true);
  }
  return out;
}
