import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { versionsOf } from '../../query/versions.js';
import { keyForms } from '../../schema/stored/key-forms.js';
import type { ContentType } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import { collectionOf } from '../connection/collections.js';
import { anyFilter } from '../connection/filter.js';
import type { Store } from '../connection/store.js';

/** The `_id`s of an adopted collection that these texts name, by text; those that name nothing are not among them. */
export async function findKeys(
  store: Store,
  type: ContentType,
  texts: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const forms = texts.flatMap((text) => keyForms(type.storage?.id ?? 'any', text));
  const filter = anyFilter({ _id: { $in: forms } });
  const found = new Map<string, unknown>();
  for (const status of versionsOf(type, 'draft')) {
    const rows = collectionOf(store, { type, status }).find(filter, {
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

/** Of one text, `_id`s of one kind are the same. */
const kindOf = (value: unknown): string =>
  typeof value === 'object' && value !== null && '_bsontype' in value
    ? String(value._bsontype)
    : typeof value;

/** Two `_id`s of an adopted collection that are one text, such as a number and its digits. */
export const ambiguous = ({ collectionName }: ContentType, documentId: string) =>
  errors.application(
    'document-ambiguous',
    `Several documents of ${collectionName} have the documentId "${shorten(documentId)}": their _ids differ only in type`,
  );
