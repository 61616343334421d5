import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';
import { errors } from '../errors.js';
import { shorten } from '../print-value.js';
import { endingOf } from './file-name.js';
import { matchesType, mimeOfEnding, OCTETS } from './mime.js';
import type { MediaSettings } from './types.js';

/** Enough of a file to know what it is. */
const SNIFFED = 4100;

/** Markup that a browser would run, in a text that begins with a tag: its bytes say so, whatever its name says. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/<svg[\s>]/i, 'image/svg+xml'],
  [/<(?:!doctype\s+html|html|head|body|script|iframe|object|embed)[\s>]/i, 'text/html'],
  [/^<\?xml/i, 'application/xml'],
];

/** Formats that bytes always tell: a file that claims one and has not its bytes lies. */
const TELLING = /^image\/(?:jpeg|png|gif|webp|tiff|avif|bmp)$/;

const head = async (path: string): Promise<Uint8Array> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED), 0, SNIFFED, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};

const isText = (bytes: Uint8Array): boolean => !bytes.includes(0);

const markupOf = (bytes: Uint8Array): string | undefined => {
  if (!isText(bytes)) return undefined;
  const text = new TextDecoder()
    .decode(bytes)
    .replace(/^\uFEFF/, '')
    .trimStart();
  return text.startsWith('<') ? MARKUP.find(([pattern]) => pattern.test(text))?.[1] : undefined;
};

const wellFormed = (mime: string): boolean => /^[\w.+-]+\/[\w.+-]+$/.test(mime);

/** The claim of a part or, where it says nothing, of the name. */
const claimOf = (name: string, declared: string | undefined): string => {
  const type = (declared ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return wellFormed(type) && type !== OCTETS ? type : mimeOfEnding(endingOf(name));
};

interface Sniffed {
  readonly mime: string;
  /** The bytes themselves say so, or are text. */
  readonly sure: boolean;
}

const decide = async (path: string, claim: string): Promise<Sniffed> => {
  const bytes = await head(path);
  const found = markupOf(bytes) ?? (await fileTypeFromBuffer(bytes))?.mime;
  if (TELLING.test(claim) && !TELLING.test(found ?? ''))
    throw errors.validation('image-invalid', 'File is not a valid image');
  return found === undefined ? { mime: claim, sure: isText(bytes) } : { mime: found, sure: true };
};

/**
 * The MIME type of a file by its bytes; its claim decides only where they say nothing. Throws a 400 for a type that is not
 * allowed, or an image that is none (rules I.1, I.3).
 */
export const sniffType = async (
  path: string,
  name: string,
  declared: string | undefined,
  { allowedTypes, deniedTypes }: MediaSettings['security'],
): Promise<string> => {
  const claim = claimOf(name, declared);
  if (matchesType(claim, deniedTypes))
    throw errors.validation('mime-type-not-allowed', 'MIME type is not allowed');
  const { mime, sure } = await decide(path, claim);
  const restricted = allowedTypes.length > 0;
  if (restricted && !sure)
    throw errors.validation('file-type-unverifiable', 'Cannot verify file type for security reasons');
  if (matchesType(mime, deniedTypes) || (restricted && !matchesType(mime, allowedTypes)))
    throw errors.validation('file-type-not-allowed', `File type '${shorten(mime)}' is not allowed`);
  return mime;
};
