import { isDeepStrictEqual } from 'node:util';
import type { Status } from '../../query/read-plan.js';
import type { Attribute, Model, Schema } from '../../schema/types.js';
import type { Changes, Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { COMPONENT_IDS, type DocumentsContext, type Source } from '../context.js';
import { sharedAttributes } from '../operations/locales.js';
import { copyFields, countItems } from './copy.js';

/** The values of the shared attributes of a stored entry. */
export const sharedValues = (type: Source['type'], entry: Entry | undefined): Entry =>
  entry ? pick(entry, sharedAttributes(type)) : {};

/**
 * Copies the shared attributes of `entry` to the other locales of its document (rules G.9 and 0.4, row 15): a draft's to their drafts, a
 * published entry's to both versions. Only where a value differs.
 */
export async function syncLocalized(
  context: DocumentsContext,
  changes: Changes,
  source: Source,
  entry: Entry,
  status: Status,
): Promise<void> {
  const { type } = source;
  const attributes = sharedAttributes(type);
  if (attributes.length === 0) return;
  const filter = { documentId: source.documentId, locale: { $ne: source.locale } };
  const draftsOf = collectionName(type, 'draft');
  const liveOf = collectionName(type, 'published');
  const [drafts, published] = await Promise.all([
    context.read(draftsOf, filter),
    status === 'published' && liveOf !== draftsOf ? context.read(liveOf, filter) : [],
  ]);
  const values = pick(entry, attributes);
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
      if (!current || sameContent(context.schema, type, attributes, current, values)) continue;
      const ids = await context.sequences.take(COMPONENT_IDS, countItems(context.schema, type, values));
      const copy = copyFields(context.schema, type, values, () => ids.shift() ?? 0);
      // A draft with changes of its own stays "modified": its published entry keeps the older date.
      const dated = collection === draftsOf || !modified.get(other['locale']) ? { updatedAt: now } : {};
      changes.replace(collection, other, { ...current, ...copy, ...dated });
    }
}

const pick = (entry: Entry, attributes: readonly Attribute[]): Entry =>
  Object.fromEntries(
    attributes.flatMap(({ name }) => (entry[name] === undefined ? [] : [[name, entry[name]]])),
  );

/** Equal apart from the ids of component items. */
function sameContent(
  schema: Schema,
  model: Model,
  attributes: readonly Attribute[],
  a: Entry,
  b: Entry,
): boolean {
  const content = (entry: Entry) => copyFields(schema, model, pick(entry, attributes), () => 0);
  return isDeepStrictEqual(content(a), content(b));
}
