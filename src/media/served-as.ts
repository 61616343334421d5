import { endingOf } from './file-name.js';
import { matchesType, mimeOfEnding } from './mime.js';

/** Shown by a browser without running anything. All else is handed over as a file. */
const SHOWN = [
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/jpeg',
  'image/png',
  'image/tiff',
  'image/webp',
  'image/vnd.microsoft.icon',
  'audio/*',
  'video/*',
  'application/json',
  'application/pdf',
  'text/csv',
  'text/markdown',
  'text/plain',
];

interface Served {
  readonly contentType: string;
  /** To be saved, not shown, and without the rights of this origin (rules 0.4 row 16). */
  readonly download: boolean;
}

/** How an upload goes out: by the ending of its key alone, never by what its sender claimed. */
export const servedAs = (key: string): Served => {
  const mime = mimeOfEnding(endingOf(key));
  const isText = mime.startsWith('text/') || mime === 'application/json';
  return { contentType: isText ? `${mime}; charset=utf-8` : mime, download: !matchesType(mime, SHOWN) };
};
