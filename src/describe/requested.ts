import { errors } from '../errors.js';
import { byRoute } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';

/**
 * The content type, document and query of a path such as `/api/articles/abc?sort=title`, or of a full URL.
 */
interface Requested {
  readonly type: ContentType;
  readonly documentId: string | null;
  /** Without `?`. */
  readonly query: string;
}

/** Throws if the path belongs to no content type. */
export function requestedBy(url: string, schema: Schema, prefix: string): Requested {
  const [address = '', ...rest] = url.split('?');
  const path = address.replace(/^[a-z]+:\/\/[^/]+/i, '');
  const below = path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  const [route = '', documentId = null] = below
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const type = byRoute(schema, route.toLowerCase());
  if (!type) throw errors.application('not-found', `No content type is served at ${prefix}/${route}`);
  return { type, documentId, query: rest.join('?') };
}
