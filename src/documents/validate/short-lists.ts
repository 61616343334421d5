import type { Entry } from '../../store/entries/changes.js';
import { isPlainObject } from '../../values/plain-object.js';
import { isEntry } from '../plan/items.js';

/** Members of a list that are validated one by one even when some are wrong. */
const MAX_MEMBERS = 500;

/** A value with no more than the first members of each list at any depth; the value itself where none is longer. */
export function withShortLists(value: Entry): Entry {
  return hasLongList(value) ? (shorten(value) as Entry) : value;
}

const hasLongList = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > MAX_MEMBERS || value.some(hasLongList)
    : isEntry(value) && Object.values(value).some(hasLongList);

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(shorten);
  if (!isEntry(value) || !isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]));
}
