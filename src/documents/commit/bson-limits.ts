import { calculateObjectSize } from 'bson';
import { errors } from '../../errors.js';
import type { Entry } from '../../store/entries/changes.js';
import { isPlainObject } from '../../values/plain-object.js';

/** The largest MongoDB document, less some room for what the server adds. */
export const MAX_BYTES = 16 * 1024 * 1024 - 16 * 1024;
const MAX_DEPTH = 98;

/**
 * Rejects what MongoDB cannot store: 413 for an entry of more than 16 MB, 400 for anything else, naming the
 * field. Values that are unchanged from `before`, the stored entry, are skipped.
 */
export function assertStorable(entry: Entry, before: Entry | null = null): void {
  for (const [field, value] of Object.entries(entry))
    if (value !== before?.[field]) checkValue(field, value, 1);
  if (calculateObjectSize(entry) <= MAX_BYTES) return;
  const [field = ''] = Object.keys(entry).sort((a, b) => sizeOf(entry, b) - sizeOf(entry, a));
  throw errors.tooLarge('entry-too-large', `The entry is larger than 16 MB; its largest field is ${field}`, {
    field,
  });
}

function checkValue(field: string, value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw refused(field, `is nested deeper than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') checkText(field, value);
  else if (Array.isArray(value)) for (const member of value) checkValue(field, member, depth + 1);
  else if (isPlainObject(value))
    for (const [key, member] of Object.entries(value)) {
      checkText(field, key);
      if (key.includes('\u0000')) throw refused(field, 'has a key with a null character');
      checkValue(field, member, depth + 1);
    }
}

/** A lone surrogate has no UTF-8 encoding. */
function checkText(field: string, text: string): void {
  if (/\p{Surrogate}/u.test(text)) throw refused(field, 'contains text that is not valid Unicode');
}

const refused = (field: string, what: string) =>
  errors.validation('value-not-storable', `${field} ${what}`, { field });

const sizeOf = (entry: Entry, field: string): number => calculateObjectSize({ [field]: entry[field] });
