import { lookup } from 'mime-types';

export const OCTETS = 'application/octet-stream';

/** The type of an ending, for serving and for files whose bytes say nothing. */
export const mimeOfEnding = (ending: string): string => lookup(ending) || OCTETS;

/** Whether a MIME type is in a list of types and wildcards (`image/*`, `*`). */
export const matchesType = (mime: string, patterns: readonly string[]): boolean =>
  patterns.some(
    (pattern) =>
      pattern === '*' ||
      pattern === '*/*' ||
      pattern.toLowerCase() === mime ||
      (pattern.endsWith('/*') && mime.startsWith(pattern.slice(0, -1).toLowerCase())),
  );
