/** Reads the output of `mongodump` and `mongoexport`: a folder of files, or one archive. */

import { createReadStream, type ReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { EJSON } from 'bson';
import type { ForeignDocument, PlacedDocument } from '../../store/transfer/foreign.js';
import { isDeeperThan, MAX_DEPTH } from '../../values/depth.js';
import { fileHead } from '../../values/file-head.js';
import { isObject } from '../../values/plain-object.js';
import { BsonStream } from '../source/bson-stream.js';
import { ImportError } from '../source/error.js';

/**
 * Reads the documents of a dump, gzipped or not: a folder with a file for each collection (`.bson`, or lines
 * of Extended JSON in `.json`, `.jsonl`, `.ndjson`), its parent folder, or the output of `mongodump
 * --archive`.
 * @throws ImportError if it is none of these, or contains several databases of Strapi 3
 */
export async function readDump(path: string): Promise<Dump> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new ImportError(`${path} is not there`);
  const opened: ReadStream[] = [];
  if (!found.isDirectory())
    return { documents: await readArchive(path, opened), share: () => shareOf(opened, found.size) };
  const folder = await folderOf(path);
  const files = await collectionFiles(folder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return { documents: readFolder(folder, files, opened), share: () => shareOf(opened, total) };
}

/** The documents of a dump, and which share of its bytes has been read. */
interface Dump {
  readonly documents: AsyncIterable<PlacedDocument>;
  /** From 0 to 1. */
  share(): number;
}

const shareOf = (opened: readonly ReadStream[], total: number): number => {
  const read = opened.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  return total === 0 ? 1 : Math.min(1, read / total);
};

const EXTENSION = /\.(?:bson|json|jsonl|ndjson)(?:\.gz)?$/;

/** The files with documents; those with options and indexes are not needed. */
const collectionFiles = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder))
    .filter((file) => EXTENSION.test(file) && !/\.metadata\.json(?:\.gz)?$/.test(file))
    .filter((file) => !isInternal(nameOf(file)) && nameOf(file) !== 'prelude')
    .sort();

const nameOf = (file: string): string => decodeURIComponent(file.replace(EXTENSION, ''));

const isInternal = (collection: string): boolean =>
  collection.startsWith('system.') || collection === 'oplog';

const CORE = 'core_store';

/** The folder of the database; `mongodump` creates one for each. */
async function folderOf(path: string): Promise<string> {
  if ((await collectionFiles(path)).length > 0) return path;
  const inner = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const folders: string[] = [];
  for (const { name } of inner) {
    const files = await collectionFiles(join(path, name));
    if (files.some((file) => nameOf(file) === CORE)) folders.push(name);
  }
  const [only, ...more] = folders;
  if (only === undefined)
    throw new ImportError(`${path} contains no .bson, .json, .jsonl or .ndjson file of a collection`);
  if (more.length > 0)
    throw new ImportError(`${path} contains several Strapi 3 databases: choose one of ${folders.join(', ')}`);
  return join(path, only);
}

async function* readFolder(
  folder: string,
  files: readonly string[],
  opened: ReadStream[],
): AsyncGenerator<PlacedDocument> {
  for (const file of files) {
    const stream = unpacked(join(folder, file), file.endsWith('.gz'), opened);
    const documents = /\.bson(?:\.gz)?$/.test(file) ? readBson(stream) : readLines(stream, file);
    for await (const document of documents) yield { collection: nameOf(file), document };
  }
}

function unpacked(path: string, gzipped: boolean, opened: ReadStream[]): Readable {
  const file = createReadStream(path);
  opened.push(file);
  if (!gzipped) return file;
  const gunzip = createGunzip();
  file.on('error', (error) => gunzip.destroy(error));
  return file.pipe(gunzip);
}

const bsonStream = (stream: Readable): BsonStream =>
  new BsonStream(stream, 'a file of the dump', { promoteValues: false });

async function* readBson(stream: Readable): AsyncGenerator<ForeignDocument> {
  const documents = bsonStream(stream);
  for (let one = await documents.next(); one !== null; one = await documents.next()) yield one;
}

async function* readLines(stream: Readable, file: string): AsyncGenerator<ForeignDocument> {
  let number = 0;
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    const text = line.trim();
    if (text === '') continue;
    const document = parsed(text);
    if (!isObject(document))
      throw new ImportError(`${file}, line ${number} is not a document of Extended JSON`);
    if (isDeeperThan(document, MAX_DEPTH))
      throw new ImportError(`${file}, line ${number} is nested more than ${MAX_DEPTH} levels deep`);
    yield document;
  }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, MAX_DEPTH) ? value : EJSON.deserialize(Object(value), { relaxed: false });
  } catch {
    return null;
  }
}

const MAGIC = 0x8199e26d;
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * An archive is a magic number, a prelude of documents that describe it, then blocks of documents, each after
 * a header that names their collection and ended by a terminator (mongo-tools, `common/archive`).
 */
async function readArchive(path: string, opened: ReadStream[]): Promise<AsyncIterable<PlacedDocument>> {
  const isGzip = (await fileHead(path, GZIP.length)).equals(GZIP);
  const archive = bsonStream(unpacked(path, isGzip, opened));
  if ((await archive.number()) !== MAGIC)
    throw new ImportError(`${basename(path)} is not an archive of mongodump`);
  const databases = new Set<string>();
  for (let one = await archive.next(); one !== null; one = await archive.next())
    if (one['collection'] === CORE) databases.add(String(one['db']));
  const [database, ...more] = databases;
  if (more.length > 0)
    throw new ImportError(
      `${basename(path)} contains several Strapi 3 databases, ${[...databases].join(', ')}: unpack one of them`,
    );
  return readBlocks(archive, database ?? null);
}

async function* readBlocks(archive: BsonStream, database: string | null): AsyncGenerator<PlacedDocument> {
  while (await archive.more()) {
    const header = await archive.next();
    if (header === null) continue;
    const collection = String(header['collection']);
    const wanted = (database === null || header['db'] === database) && !isInternal(collection);
    for (let one = await archive.next(); one !== null; one = await archive.next())
      if (wanted) yield { collection, document: one };
  }
}
