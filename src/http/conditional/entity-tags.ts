/** Entity tags and the headers that name them (RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2). Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Precondition, Revisions } from '../../documents/precondition.js';
import type { CacheValidator } from '../../documents/read/reader.js';
import { errors } from '../../errors.js';

interface EntityTag {
  readonly weak: boolean;
  /** Without its quotes. */
  readonly opaque: string;
}

/** The tags of a header, or any. */
type Tags = '*' | readonly EntityTag[];

/** The tag of an answer; `revision` null: it shows no single entry, or one without a revision. */
export const entityTag = (revision: string | null, digest: string): string =>
  `"${revision === null ? '' : `${revision}-`}${digest}"`;

/**
 * A tag of a list; an empty element of the list is ignored. Only one run of blanks begins at any place, as two
 * would take time in proportion to the square of their length.
 */
const ELEMENT = /(?:[\t ]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[\t ]*|[\t ]*)(,|$)/y;

/** The tags of a header; null if it is absent. Throws a 400 for anything but `*` or a list of tags. */
export function readTags(name: 'If-Match' | 'If-None-Match', headers: IncomingHttpHeaders): Tags | null {
  const text = headers[name === 'If-Match' ? 'if-match' : 'if-none-match']?.trim();
  if (text === undefined) return null;
  if (text === '*') return '*';
  const tags: EntityTag[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < text.length) {
    const found = ELEMENT.exec(text);
    if (!found) throw malformed(name);
    const [, weak, opaque] = found;
    if (opaque !== undefined) tags.push({ weak: weak !== undefined, opaque });
  }
  if (tags.length === 0) throw malformed(name);
  return tags;
}

const malformed = (name: string) =>
  errors.validation('precondition-malformed', `Invalid ${name} header. Expected * or a list of entity tags`);

/**
 * Tells whether a client has the answer with a tag, by weak comparison; null if it names none. Throws a 400 for a
 * malformed `If-None-Match`.
 */
export function tagsOfClient(headers: IncomingHttpHeaders): ((tag: string) => boolean) | null {
  const tags = readTags('If-None-Match', headers);
  if (tags === null) return null;
  return (tag) => tags === '*' || tags.some(({ opaque }) => `"${opaque}"` === tag);
}

/** The same for the tag of a validator. */
export const alreadyWith =
  (hasTag: (tag: string) => boolean) =>
  ({ revision, digest }: CacheValidator): boolean =>
    digest !== null && hasTag(entityTag(revision, digest));

/** The revision that a tag names: all of it, or what is before the digest. */
const revisionOf = ({ opaque }: EntityTag): string => {
  const end = opaque.lastIndexOf('-');
  return end === -1 ? opaque : opaque.slice(0, end);
};

const revisionsOf = (tags: Tags): Revisions => (tags === '*' ? '*' : new Set(tags.map(revisionOf)));

/** By strong comparison: a weak tag is the same as no other. */
const strong = (tags: Tags): Tags => (tags === '*' ? '*' : tags.filter(({ weak }) => !weak));

/** What the headers require of a write; null if they are absent. */
export function preconditionOf(headers: IncomingHttpHeaders): Precondition | null {
  const match = readTags('If-Match', headers);
  const noneMatch = readTags('If-None-Match', headers);
  if (match === null && noneMatch === null) return null;
  return {
    match: match && revisionsOf(strong(match)),
    noneMatch: noneMatch && revisionsOf(noneMatch),
  };
}
