import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { FILE_UID } from '../schema/uids.js';
import { readSeededFile, writeSeededFile } from '../store/runs/seeds.js';
import { isPlainObject } from '../values/plain-object.js';
import { download } from './download.js';
import { SeedError } from './error.js';
import type { SeedParts } from './types.js';

/** A file as a row names it: by path or address, with what is said of it. */
interface Wanted {
  readonly from: string;
  readonly name?: string;
  readonly alternativeText?: string;
  readonly caption?: string;
}

const isAddress = (from: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(from);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** What an item of a media attribute asks for; null: a file of the library, by its id. */
function wantedOf(item: unknown): Wanted | null {
  if (typeof item === 'string') return { from: item };
  if (!isPlainObject(item)) return null;
  const from = textOf(item['path']) ?? textOf(item['url']);
  if (from === undefined) return null;
  const [name, alternativeText, caption] = ['name', 'alternativeText', 'caption'].map((key) =>
    textOf(item[key]),
  );
  return {
    from,
    ...(name !== undefined && { name }),
    ...(alternativeText !== undefined && { alternativeText }),
    ...(caption !== undefined && { caption }),
  };
}

/** Files that rows name by path or address, each stored once. */
export interface Library {
  /** Stores the file of an item; null where the item names one of the library. @throws SeedError or ApiError where it cannot be */
  take(item: unknown, folder: string): Promise<string | null>;
  /** How many were stored anew. */
  stored(): number;
}

export function createLibrary({ config, store, documents, upload }: SeedParts, dryRun: boolean): Library {
  const taken = new Map<string, Promise<string>>();
  let stored = 0;

  const keep = async (
    source: string,
    wanted: Wanted,
    load: () => Promise<{ buffer: Buffer; name: string; mime?: string | undefined }>,
  ) => {
    const before = await readSeededFile(store, source);
    if (before !== null && (await documents(FILE_UID).findOne({ documentId: before, fields: ['id'] })))
      return before;
    const { buffer, name, mime } = await load();
    const { from: _, name: given, ...fileInfo } = wanted;
    const { documentId } = await upload({ buffer, name: given ?? name, mime, fileInfo });
    await writeSeededFile(store, source, documentId);
    stored += 1;
    return documentId;
  };

  const take = async (wanted: Wanted, folder: string): Promise<string> => {
    const { from } = wanted;
    if (isAddress(from)) {
      if (dryRun) return from;
      return keep(from, wanted, () => download(from, config.plugins.upload.sizeLimit));
    }
    const path = resolve(folder, from);
    const there = await stat(path).catch(() => null);
    // A documentId of the library has no ending and no folder.
    if (!there?.isFile()) {
      if (/^[a-z0-9]{24}$/.test(from)) return from;
      throw new SeedError(`there is no file ${path}`);
    }
    if (dryRun) return from;
    const buffer = await readFile(path);
    const digest = createHash('sha256').update(buffer).digest('hex');
    const name = basename(path);
    return keep(`${digest}/${wanted.name ?? name}`, wanted, async () => ({ buffer, name }));
  };

  return {
    async take(item, folder) {
      const wanted = wantedOf(item);
      if (!wanted) return null;
      const key = JSON.stringify([wanted, isAddress(wanted.from) ? '' : folder]);
      const taking = taken.get(key) ?? take(wanted, folder);
      taken.set(key, taking);
      return taking;
    },
    stored: () => stored,
  };
}
