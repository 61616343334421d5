import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { FILE_UID } from '../schema/uids.js';
import { readSeededFile, writeSeededFile } from '../store/leases/seeds.js';
import { memberOf } from '../values/once-per.js';
import { isPlainObject, textOf } from '../values/plain-object.js';
import { SeedError } from './error.js';
import type { SeedParts } from './types.js';

/** Time limit of a download, in milliseconds. */
const TIME = 60_000;

interface Downloaded {
  readonly buffer: Buffer;
  /** The last segment of the URL's path. */
  readonly name: string;
  readonly mime: string | undefined;
}

/** Downloads a file over http or https, following redirects. @param limit bytes @throws SeedError if that fails */
async function download(address: string, limit: number): Promise<Downloaded> {
  const { protocol, pathname } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new SeedError(`${address}: only http and https are fetched`);
  const response = await fetch(address, { signal: AbortSignal.timeout(TIME) }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new SeedError(`${address}: ${cause instanceof Error ? cause.message : String(cause)}`);
  });
  if (!response.ok) throw new SeedError(`${response.url} answers ${response.status}`);
  const name = decodeURIComponent(pathname.split('/').at(-1) ?? '') || 'file';
  const [mime] = (response.headers.get('content-type') ?? '').split(';');
  return { buffer: await bytesOf(response, limit), name, mime: mime?.trim() || undefined };
}

async function bytesOf(response: Response, limit: number): Promise<Buffer> {
  const tooLarge = () => new SeedError(`${response.url} has more than ${limit} bytes (upload.sizeLimit)`);
  if (Number(response.headers.get('content-length') ?? 0) > limit) {
    await response.body?.cancel();
    throw tooLarge();
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    // Leaving the loop cancels the download.
    if (size > limit) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A file in a row: its path or URL, and its texts. */
interface FileReference {
  readonly from: string;
  readonly name?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
}

const isAddress = (from: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(from);

/** The file that an item of a media attribute names; null if it is the id of a file in the library. */
function referenceOf(item: unknown): FileReference | null {
  if (typeof item === 'string') return { from: item };
  if (!isPlainObject(item)) return null;
  const from = textOf(item['path']) ?? textOf(item['url']);
  if (from === null) return null;
  const texts = ['name', 'alternativeText', 'caption'].filter((key) => typeof item[key] === 'string');
  return { from, ...Object.fromEntries(texts.map((key) => [key, item[key]])) };
}

/**
 * The path of the file that a reference names; null if it is a URL, or the documentId of a file in the library.
 * @throws SeedError if there is no such file
 */
async function pathOf({ from }: FileReference, folder: string): Promise<string | null> {
  if (isAddress(from)) return null;
  const path = resolve(folder, from);
  const there = await stat(path).catch(() => null);
  if (there?.isFile()) return path;
  // A documentId has no extension or folder.
  if (/^[a-z0-9]{24}$/.test(from)) return null;
  throw new SeedError(`there is no file ${path}`);
}

/** Whether the file of an item exists, without downloading it. @throws SeedError if it does not */
export async function checkFile(item: unknown, folder: string): Promise<void> {
  const reference = referenceOf(item);
  if (reference) await pathOf(reference, folder);
}

/** Stores files that rows name by path or URL, each once. */
export interface Library {
  /**
   * Stores the file of an item; null if the item is a file in the library. @throws SeedError or ApiError if
   * the file cannot be stored
   */
  take(item: unknown, folder: string): Promise<string | null>;
  /** The number of files added. */
  stored(): number;
}

export function createLibrary({ config, store, documents, upload }: SeedParts, dryRun: boolean): Library {
  const taken = new Map<string, Promise<string>>();
  let stored = 0;

  const keep = async (
    source: string,
    reference: FileReference,
    load: () => Promise<{ buffer: Buffer; name: string; mime?: string | undefined }>,
  ) => {
    const before = await readSeededFile(store, source);
    if (before !== null && (await documents(FILE_UID).findOne({ documentId: before, fields: ['id'] })))
      return before;
    const { buffer, name, mime } = await load();
    const { from: _, name: given, ...fileInfo } = reference;
    const { documentId } = await upload({ buffer, name: given ?? name, mime, fileInfo });
    await writeSeededFile(store, source, documentId);
    stored += 1;
    return documentId;
  };

  const take = async (reference: FileReference, folder: string): Promise<string> => {
    const { from } = reference;
    if (isAddress(from)) {
      if (dryRun) return from;
      return keep(from, reference, () => download(from, config.plugins.upload.sizeLimit));
    }
    const path = await pathOf(reference, folder);
    if (path === null || dryRun) return from;
    const buffer = await readFile(path);
    const digest = createHash('sha256').update(buffer).digest('hex');
    const name = basename(path);
    return keep(`${digest}/${reference.name ?? name}`, reference, async () => ({ buffer, name }));
  };

  return {
    async take(item, folder) {
      const reference = referenceOf(item);
      if (!reference) return null;
      const key = JSON.stringify([reference, isAddress(reference.from) ? '' : folder]);
      return memberOf(taken, key, () => take(reference, folder));
    },
    stored: () => stored,
  };
}
