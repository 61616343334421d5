import { open } from 'node:fs/promises';
import { type ApiError, errors } from '../errors.js';
import { shorten } from '../print-value.js';
import { fileHead } from '../values/file-head.js';
import { endingOf } from './file-name.js';
import { matchesType, mimeOfEnding, OCTETS } from './mime.js';
import type { MediaSettings } from './types.js';

/** Enough of a file to know what it is. */
const SNIFFED = 4100;

/** Markup that a browser would run, in text that begins with a tag: its bytes say so, whatever its name says. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/<svg[\s>]/i, 'image/svg+xml'],
  [/<(?:!doctype\s+html|html|head|body|script|iframe|object|embed)[\s>]/i, 'text/html'],
  [/^<\?xml/i, 'application/xml'],
];

/** Formats that bytes always tell: files whose magic bytes do not match are refused. */
const TELLING = /^image\/(?:jpeg|png|gif|webp|tiff|avif|bmp)$/;

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

/** How much of a file is looked at together; what is sought is much shorter. */
const PIECE = 1_000_000;
const OVERLAP = 64;

/** The markup of these types anywhere in text: behind other text, or behind a comment of any length. */
const hiddenMarkup = async (path: string, types: readonly string[]): Promise<string | undefined> => {
  const sought = MARKUP.filter(([, type]) => matchesType(type, types));
  if (sought.length === 0) return undefined;
  const file = await open(path);
  try {
    for (let at = 0; ; at += PIECE - OVERLAP) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE), 0, PIECE, at);
      const text = buffer.toString('latin1', 0, bytesRead);
      const found = sought.find(([pattern]) => pattern.test(text));
      if (found) return found[1];
      if (bytesRead < PIECE) return undefined;
    }
  } finally {
    await file.close();
  }
};

interface Sniffed {
  readonly mime: string;
  /** The bytes themselves say so, or are text. */
  readonly sure: boolean;
  /** They are text, as far as they were looked at. */
  readonly text: boolean;
}

const decide = async (path: string, claim: string): Promise<Sniffed> => {
  const bytes = await fileHead(path, SNIFFED);
  const { fileTypeFromBuffer } = await import('file-type');
  const found = markupOf(bytes) ?? (await fileTypeFromBuffer(bytes))?.mime;
  if (TELLING.test(claim) && !TELLING.test(found ?? ''))
    throw errors.validation('image-invalid', 'File is not a valid image');
  const text = isText(bytes);
  return found === undefined ? { mime: claim, sure: text, text } : { mime: found, sure: true, text };
};

const notAllowed = (mime: string): ApiError =>
  errors.validation('file-type-not-allowed', `File type '${shorten(mime)}' is not allowed`);

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
  // Whatever a file is by its bytes, its name says what others will take it for.
  const named = mimeOfEnding(endingOf(name));
  if (matchesType(claim, deniedTypes) || (named !== OCTETS && matchesType(named, deniedTypes)))
    throw errors.validation('mime-type-not-allowed', 'MIME type is not allowed');
  const { mime, sure, text } = await decide(path, claim);
  const restricted = allowedTypes.length > 0;
  if (restricted && !sure)
    throw errors.validation('file-type-unverifiable', 'Cannot verify file type for security reasons');
  if (matchesType(mime, deniedTypes) || (restricted && !matchesType(mime, allowedTypes)))
    throw notAllowed(mime);
  const hidden = text ? await hiddenMarkup(path, deniedTypes) : undefined;
  if (hidden !== undefined) throw notAllowed(hidden);
  return mime;
};
