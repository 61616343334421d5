import { isDeepStrictEqual } from 'node:util';
import { collectionName } from '../../schema/stored/collections.js';
import type { Attribute, ContentType, Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { countItems } from '../plan/items.js';
import { readVersions } from '../versions.js';
import { takeComponentIds } from './component-ids.js';
import { contentOf, copyFields } from './copy.js';

/** The attributes of a localized type that all locales of a document share; empty for other types. */
const sharedAttributes = (type: ContentType): Attribute[] =>
  type.localized
    ? [...type.attributes.values()].filter((attribute) => !attribute.system && !attribute.localized)
    : [];

/** The values of the shared attributes of a stored entry. */
export const sharedValues = (type: ContentType, entry: Entry | undefined): Entry =>
  entry ? pick(entry, sharedAttributes(type)) : {};

/**
 * Copies the shared attributes of `entry` to the other locales of its document: from a draft to their drafts,
 * from a published entry to both versions. Entries whose values are already the same are left alone.
 */
export async function syncLocalized(
  write: BuildContext,
  { type, documentId, locale: own }: DocumentRef,
  entry: Entry,
  status: Status,
): Promise<void> {
  const attributes = sharedAttributes(type);
  if (attributes.length === 0) return;
  const { schema, changes } = write;
  const filter = { documentId, locale: { $ne: own } };
  const draftsOf = collectionName(type, 'draft');
  const liveOf = collectionName(type, 'published');
  const [drafts, published] =
    status === 'published' ? await readVersions(write, filter) : [await write.read(draftsOf, filter), []];
  const values = pick(entry, attributes);
  const content = contentOf(schema, type, values);
  const now = new Date();
  const modified = new Map(
    published.map((live) => {
      const draft = drafts.find(({ locale }) => locale === live['locale']);
      return [live['locale'], Number(draft?.['updatedAt']) > Number(live['updatedAt'])];
    }),
  );
  const versions = [
    { collection: draftsOf, others: drafts },
    { collection: liveOf, others: published },
  ];
  for (const { collection, others } of versions)
    for (const other of others) {
      const current = changes.current(collection, other);
      if (!current || isDeepStrictEqual(contentOf(schema, type, pick(current, attributes)), content))
        continue;
      const copy = copyFields(
        schema,
        type,
        values,
        await takeComponentIds(write, countItems(schema, type, values)),
      );
      // A draft with unpublished changes of its own stays "modified": its published entry keeps the older
      // date.
      const dates = collection === draftsOf || !modified.get(other['locale']) ? { updatedAt: now } : {};
      changes.replace(collection, other, { ...current, ...copy, ...dates });
    }
}

const pick = (entry: Entry, attributes: readonly Attribute[]): Entry =>
  Object.fromEntries(
    attributes.flatMap(({ name }) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  );
