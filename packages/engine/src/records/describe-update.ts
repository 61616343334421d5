import type { Document } from 'bson';
import { equalValues, isDocument } from '../values/index.js';

/** What an update has changed, as the `updateDescription` of a change stream. */
interface UpdateDescription {
  readonly updatedFields: Document;
  readonly removedFields: string[];
  readonly truncatedArrays: Document[];
}

function compare(before: Document, after: Document, prefix: string, out: UpdateDescription): void {
  for (const name of Object.keys(before)) {
    if (!Object.hasOwn(after, name) || after[name] === undefined) out.removedFields.push(prefix + name);
  }
  for (const [name, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    if (old === value) continue;
    if (isDocument(old) && isDocument(value)) compare(old, value, `${prefix}${name}.`, out);
    else if (old === undefined || !equalValues(old, value)) out.updatedFields[prefix + name] = value;
  }
}

/** Describes the difference between two states of a document, by dotted paths into embedded documents; arrays as a whole. */
export function describeUpdate(before: Document, after: Document): UpdateDescription {
  const out: UpdateDescription = { updatedFields: {}, removedFields: [], truncatedArrays: [] };
  compare(before, after, '', out);
  return out;
}
