/** The files of the documentation page: its own, and the renderer's, which the build has put beside them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface PageFile {
  readonly type: string;
  readonly etag: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const OF_RENDERER = 'swagger-ui-dist';

const compress = promisify(gzip);

/** Before a build the renderer is where npm has installed it. */
const bytesOf = async (name: string): Promise<Buffer> => {
  const beside = new URL(`./assets/${name}`, import.meta.url);
  try {
    return await readFile(beside);
  } catch (error) {
    if (!name.startsWith('swagger-ui')) throw error;
    return readFile(createRequire(import.meta.url).resolve(`${OF_RENDERER}/${name}`));
  }
};

const load = async (name: string, type: string): Promise<PageFile> => {
  const bytes = await bytesOf(name);
  const etag = `"${createHash('sha1').update(bytes).digest('base64url')}"`;
  return { type, etag, bytes, gzipped: await compress(bytes) };
};

const loaded = new Map<string, Promise<PageFile>>();

/** A file of the page, read and compressed on first use; null where there is none of that name. */
export function pageFile(name: string): Promise<PageFile> | null {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return null;
  const known = loaded.get(name) ?? load(name, type);
  loaded.set(name, known);
  return known;
}
