import { lookup } from 'mime-types';

export const OCTETS = 'application/octet-stream';

/** The type for an extension: for serving, and for files whose bytes do not identify it. */
export const mimeOfExtension = (extension: string): string => lookup(extension) || OCTETS;

/** Whether a MIME type matches a list of types and wildcards (`image/*`, `*`). */
export const matchesType = (mime: string, patterns: readonly string[]): boolean =>
  patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === '*/*' ||
      pattern.toLowerCase() === mime ||
      (pattern.endsWith('/*') && mime.startsWith(pattern.slice(0, -1).toLowerCase())),
  );
