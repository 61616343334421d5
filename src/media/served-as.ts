import { extensionOf } from './file-name.js';
import { matchesType, mimeOfExtension } from './mime.js';

/** Types that a browser displays without running anything. All others are served as downloads. */
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
  /** To be saved instead of displayed, and sandboxed from this origin. */
  readonly download: boolean;
}

/** How an upload is served: based on the extension of its key, never on what the sender declared. */
export const servedAs = (key: string): Served => {
  const mime = mimeOfExtension(extensionOf(key));
  const isText = mime.startsWith('text/') || mime === 'application/json';
  return { contentType: isText ? `${mime}; charset=utf-8` : mime, download: !matchesType(mime, SHOWN) };
};
