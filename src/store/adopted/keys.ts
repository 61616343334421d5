import { errors } from '../../errors.js';
import { sourcesOf } from '../../pipeline/sources/sources-of.js';
import { shorten } from '../../print-value.js';
import { keyForms } from '../../schema/stored/key-forms.js';
import type { ContentType } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import { collectionOf } from '../connection/collections.js';
import { anyFilter } from '../connection/filter.js';
import type { Store } from '../connection/store.js';

/**
 * Finds the `_id`s for these texts in an adopted collection, by text; texts without a document are missing
 * from the result.
 */
export async function findKeys(
  store: Store,
  type: ContentType,
  texts: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const forms = texts.flatMap((text) => keyForms(type.storage?.id ?? 'any', text));
  const filter = anyFilter({ _id: { $in: forms } });
  const found = new Map<string, unknown>();
  for (const source of sourcesOf(type, 'draft')) {
    const rows = collectionOf(store, source).find(filter, {
      projection: { _id: 1 },
      promoteLongs: false,
    });
    for await (const { _id } of rows) {
      const text = keyText(_id);
      if (found.has(text) && kindOf(found.get(text)) !== kindOf(_id)) throw ambiguous(type, text);
      found.set(text, _id);
    }
  }
  return found;
}

/** The type of an `_id`. Two of the same type and text are equal. */
const kindOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && '_bsontype' in value
    ? String(value._bsontype)
    : typeof value;

/** The error for two `_id`s with the same text, such as a number and a string of its digits. */
export const ambiguous = ({ collectionName }: ContentType, documentId: string) =>
  errors.application(
    'document-ambiguous',
    `Several documents of ${collectionName} have the documentId "${shorten(documentId)}": their _ids differ only in type`,
  );
