import { ObjectId } from 'bson';
import { COMPONENT_IDS } from '../documents/entry/component-ids.js';
import { hasCollection } from '../store/connection/collections.js';
import { deleteNamed } from '../store/connection/delete.js';
import { unlessDuplicates } from '../store/connection/duplicate.js';
import { anyFilter, anyId } from '../store/connection/filter.js';
import { dropCollection, holdsAny, putInPlace } from '../store/transfer/import-entries.js';
import { copyOf, isObject } from '../values/plain-object.js';
import type { Of } from './attribute-steps.js';
import { MigrationError } from './error.js';
import {
  componentsOf,
  draftsOf,
  type ShapeModel,
  type ShapeType,
  type StoredShape,
  shapeCollections,
  withModel,
} from './shape.js';
import type { StepRule, World } from './step-rule.js';
import type { StoredEntry } from './types.js';

const typeOf = (shape: StoredShape, uid: string): ShapeType => {
  const found = shape.types[uid];
  if (found) return found;
  throw new MigrationError(`The applied schema has no content type ${uid}`);
};

const BATCH = 500;

/** All entries by `_id`, in batches. */
export async function* batchesOf(
  { db, alive }: Pick<World, 'db' | 'alive'>,
  collection: string,
  filter: object = {},
): AsyncGenerator<StoredEntry[]> {
  let last: unknown = null;
  for (;;) {
    alive();
    const after = last === null ? {} : { _id: { $gt: last } };
    const batch: StoredEntry[] = await db
      .collection(collection)
      .find(anyFilter({ ...filter, ...after }), { promoteLongs: false })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    if (batch.length === 0) return;
    last = batch.at(-1)?.['_id'];
    yield batch;
  }
}

/** Sets the `localized` flags of a type's attributes from the current schema, or removes them. */
const localizedAs = (
  shape: StoredShape,
  uid: string,
  current: StoredShape,
  localized: boolean,
): StoredShape => {
  const now = current.types[uid]?.attributes ?? {};
  const attributes = Object.fromEntries(
    Object.entries(typeOf(shape, uid).attributes).map(([name, { localized: _, ...attribute }]) => [
      name,
      localized && (now[name]?.localized ?? false) ? { ...attribute, localized: true as const } : attribute,
    ]),
  );
  return withModel(shape, uid, { localized, attributes });
};

const localize: StepRule<Of<'localize'>> = {
  reshape: (shape, { localize: uid }, current) => localizedAs(shape, uid, current, true),
  item:
    ({ locale }) =>
    (entry) =>
      (entry['locale'] ?? null) === null ? { ...entry, locale } : null,
  inverse: ({ localize: uid, locale }) => ({ unlocalize: uid, keep: locale }),
};

const unlocalize: StepRule<Of<'unlocalize'>> = {
  reshape: (shape, { unlocalize: uid }, current) => localizedAs(shape, uid, current, false),
  async refusal({ keep, dropOthers }, { db }, type) {
    for (const name of dropOthers ? [] : shapeCollections(type))
      if (await db.collection(name).findOne({ locale: { $nin: [keep, null] } }, { projection: { _id: 1 } }))
        return `${name} has entries in other locales than ${keep}; dropOthers: true deletes them`;
    return null;
  },
  async work({ keep }, world, type) {
    for (const name of shapeCollections(type)) {
      const entries = world.db.collection(name);
      // A document without the kept locale keeps its first one.
      for (const filter of [{ locale: keep }, { locale: { $nin: [keep, null] } }])
        for await (const batch of batchesOf(world, name, filter))
          for (const { _id, documentId, locale = null } of batch) {
            const kept = await entries.findOne({ documentId, locale: null }, { projection: { _id: 1 } });
            if (kept) await deleteNamed(entries, { _id: anyId(_id) });
            else
              await entries.updateOne(
                // The filter includes the whole shard key, which may contain the locale.
                { _id: anyId(_id), documentId, locale },
                { $set: { locale: null, _rev: new ObjectId() } },
              );
          }
    }
  },
  inverse: ({ unlocalize: uid, keep, dropOthers }) =>
    dropOthers ? `unlocalize ${uid}: the other locales were deleted` : { localize: uid, locale: keep },
};

const shareAttribute: StepRule<Of<'shareAttribute'>> = {
  reshape(shape, { shareAttribute: name, of }) {
    const type = typeOf(shape, of);
    const { localized: _, ...attribute } = type.attributes[name] ?? { type: 'string' };
    return withModel(shape, of, { attributes: { ...type.attributes, [name]: attribute } });
  },
  async work({ shareAttribute: name, keep }, world, type) {
    for (const collection of shapeCollections(type)) {
      const entries = world.db.collection(collection);
      for await (const batch of batchesOf(world, collection, { locale: keep }))
        for (const { documentId, [name]: value } of batch)
          for (const { _id } of await entries
            .find({ documentId, locale: { $ne: keep } }, { projection: { _id: 1 } })
            .toArray())
            await entries.updateOne({ _id }, { $set: { [name]: value ?? null, _rev: new ObjectId() } });
    }
  },
  inverse: ({ shareAttribute: name }) => `shareAttribute ${name}: the values of other locales were deleted`,
};

/** Gives component items new ids in each version. */
async function freshItems(world: World, model: ShapeModel, item: StoredEntry): Promise<StoredEntry> {
  const out = { ...item };
  for (const [name, attribute] of Object.entries(model.attributes)) {
    const value = item[name];
    if (componentsOf(attribute).length === 0 || value === null || value === undefined) continue;
    const fresh = [];
    for (const inner of [value].flat().filter(isObject)) {
      const uid = attribute.type === 'zone' ? String(inner['__component']) : (attribute.component ?? '');
      const [id] = await world.sequences.take(COMPONENT_IDS, 1);
      const component = world.shape.components[uid];
      fresh.push({ ...(component ? await freshItems(world, component, inner) : inner), id });
    }
    out[name] = Array.isArray(value) ? fresh : fresh[0];
  }
  return out;
}

const addDrafts: StepRule<Of<'addDrafts'>> = {
  reshape: (shape, { addDrafts: uid }) =>
    withModel(shape, uid, { ...typeOf(shape, uid), draftAndPublish: true }),
  async work({ addDrafts: uid }, world, type) {
    const drafts = world.db.collection(draftsOf(type));
    for await (const batch of batchesOf(world, type.collection))
      for (const entry of batch) {
        const { documentId, locale = null } = entry;
        if (await drafts.findOne({ documentId, locale }, { projection: { _id: 1 } })) continue;
        // Before the draft, which tells that the entry is done.
        if ((entry['publishedAt'] ?? null) === null)
          await world.db
            .collection(type.collection)
            .updateOne(
              { _id: anyId(entry['_id']) },
              { $set: { publishedAt: entry['updatedAt'] ?? new Date(), _rev: new ObjectId() } },
            );
        const [id] = await world.sequences.take(uid, 1);
        const copy = await freshItems(world, type, entry);
        await drafts.insertOne({ ...copy, _id: new ObjectId(), _rev: new ObjectId(), id, publishedAt: null });
      }
  },
  inverse: ({ addDrafts: uid }) => ({ removeDrafts: uid, unpublished: 'publish' }),
};

/**
 * Sets a collection aside under a name of the migration. An older server may have created it again since, and what it
 * has of then is added: what was set aside exists nowhere else.
 */
async function setAside(world: World, name: string): Promise<void> {
  const aside = `${name}.before.${world.migration}`;
  if (!(await holdsAny(world.db, aside))) return putInPlace(world.db, name, aside);
  for await (const batch of batchesOf(world, name))
    await world.db.collection(aside).insertMany(batch, { ordered: false }).catch(unlessDuplicates);
  await dropCollection(world.db, name);
}

const removeDrafts: StepRule<Of<'removeDrafts'>> = {
  reshape: (shape, { removeDrafts: uid }) =>
    withModel(shape, uid, { ...typeOf(shape, uid), draftAndPublish: false }),
  async work({ unpublished }, world, type) {
    const drafts = draftsOf(type);
    if (!(await hasCollection(world.db, drafts))) return;
    const live = world.db.collection(type.collection);
    if (unpublished === 'publish')
      for await (const batch of batchesOf(world, drafts))
        for (const { _id, ...entry } of batch) {
          const { documentId, locale = null } = entry;
          if (await live.findOne({ documentId, locale }, { projection: { _id: 1 } })) continue;
          await live.insertOne({
            ...entry,
            _id: new ObjectId(),
            _rev: new ObjectId(),
            publishedAt: new Date(),
          });
        }
    await setAside(world, drafts);
  },
  inverse: ({ removeDrafts: uid }) =>
    `removeDrafts ${uid}: the drafts are in the backup collection; restore them by hand`,
};

/** The old and the new names of a type's collections. */
const renamed = (type: ShapeType, to: string): readonly (readonly [from: string, to: string])[] => [
  [type.collection, to],
  [draftsOf(type), draftsOf({ collection: to })],
];

const renameCollection: StepRule<Of<'renameCollection'>> = {
  reshape: (shape, { renameCollection: uid, to }) =>
    withModel(shape, uid, { ...typeOf(shape, uid), collection: to }),
  async refusal({ to: name }, { db, shape, stored }, type) {
    const moved = new Set(Object.values(stored.types).flatMap(shapeCollections));
    for (const other of Object.values(shape.types).flatMap(shapeCollections)) moved.delete(other);
    for (const [from, to] of renamed(type, name)) {
      const first = await db.collection(from).findOne({}, { projection: { _id: 1 } });
      // An earlier step gives it another name.
      if (!first || moved.has(to) || !(await holdsAny(db, to))) continue;
      // A server that renames by copying may have been interrupted between the copy and the removal.
      if (await db.collection(to).findOne({ _id: first._id })) continue;
      return `${to} contains documents, so ${from} cannot be renamed to it`;
    }
    return null;
  },
  async work({ to: name }, { db }, type) {
    for (const [from, to] of renamed(type, name))
      if (await holdsAny(db, from)) await putInPlace(db, from, to);
  },
  inverse: ({ renameCollection: uid }, before) => ({
    renameCollection: uid,
    to: typeOf(before, uid).collection,
  }),
};

const documents: StepRule<Of<'documents'>> = {
  reshape(shape, { documents: uid }) {
    typeOf(shape, uid);
    return shape;
  },
  once: true,
  item:
    ({ change }) =>
    async (entry, at) =>
      (await change(copyOf(entry), at)) ?? null,
  inverse: ({ documents: uid, undo, change }) =>
    undo ? { documents: uid, change: undo, undo: change } : `documents ${uid}: it has no "undo"`,
};

export const TYPE_STEPS = {
  localize,
  unlocalize,
  shareAttribute,
  addDrafts,
  removeDrafts,
  renameCollection,
  documents,
};
