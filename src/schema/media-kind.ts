import type { MediaAttribute, MediaKind } from './types.js';

const KINDS: Readonly<Record<string, MediaKind>> = { image: 'images', video: 'videos', audio: 'audios' };

/** The kind of file for a MIME type, as in `allowedTypes` of a media attribute. */
export const mediaKind = (mime: string): MediaKind => KINDS[mime.split('/')[0] ?? ''] ?? 'files';

/** Whether a media attribute accepts files of this MIME type. */
export const takesFile = ({ allowedTypes }: MediaAttribute, mime: string): boolean =>
  allowedTypes.includes(mediaKind(mime));
