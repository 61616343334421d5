import type { MediaAttribute, MediaKind } from './types.js';

const KINDS: Readonly<Record<string, MediaKind>> = { image: 'images', video: 'videos', audio: 'audios' };

/** The kind of file that a MIME type is, as `allowedTypes` of a media attribute names it (rules D.4). */
export const mediaKind = (mime: string): MediaKind => KINDS[mime.split('/')[0] ?? ''] ?? 'files';

/** Whether a media attribute takes files of this MIME type (rules 0.4 row 16). */
export const takesFile = ({ allowedTypes }: MediaAttribute, mime: string): boolean =>
  allowedTypes.includes(mediaKind(mime));
