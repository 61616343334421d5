import { open } from 'node:fs/promises';
import { type ApiError, errors } from '../errors.js';
import { shorten } from '../print-value.js';
import { fileHead } from '../values/file-head.js';
import { extensionOf } from './file-name.js';
import { matchesType, mimeOfExtension, OCTETS } from './mime.js';
import type { MediaSettings } from './types.js';

/** Bytes that suffice to identify a file. */
const SNIFFED = 4100;

/**
 * Markup that a browser would run: recognized by the bytes of text that begins with a tag, whatever the
 * file's name.
 */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/<svg[\s>]/i, 'image/svg+xml'],
  [/<(?:!doctype\s+html|html|head|body|script|iframe|object|embed)[\s>]/i, 'text/html'],
  [/^<\?xml/i, 'application/xml'],
];

/** Types with magic bytes: files that claim one but do not match are rejected. */
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

/** The type that a part declares or, if it declares none, that its name implies. */
const claimOf = (name: string, declared: string | undefined): string => {
  const type = (declared ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return wellFormed(type) && type !== OCTETS ? type : mimeOfExtension(extensionOf(name));
};

/** Bytes searched at once; the patterns are much shorter. */
const PIECE = 1_000_000;
const OVERLAP = 64;

/** Searches text for markup of these types anywhere, even after other text or a long comment. */
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
  /** The bytes identify the type, or the file is text. */
  readonly sure: boolean;
  /** The bytes examined are text. */
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
 * The MIME type of a file by its bytes; the declared one is used only if they do not identify it. Throws a
 * 400 for a type that is not allowed, or for an invalid image.
 */
export const sniffType = async (
  path: string,
  name: string,
  declared: string | undefined,
  { allowedTypes, deniedTypes }: MediaSettings['security'],
): Promise<string> => {
  const claim = claimOf(name, declared);
  // Other programs will go by the name, whatever the bytes are.
  const named = mimeOfExtension(extensionOf(name));
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
