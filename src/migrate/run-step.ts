import { ObjectId } from 'bson';
import { topologyOf } from '../store/connection/deployment.js';
import { anyFilter } from '../store/connection/filter.js';
import { changeItems } from './change-items.js';
import { MigrationError } from './error.js';
import { holdersOf, type ShapeType, shapeCollections } from './shape.js';
import type { ItemChange, World } from './step-rule.js';
import { describeStep, modelIn, stepRule } from './steps.js';
import { batchesOf } from './type-steps.js';
import type { MigrationStep, StoredEntry } from './types.js';

/**
 * Marks an entry as changed by a step that must not change it twice. Removed once the step is recorded as
 * done.
 */
const MARK = '_migrated';

/** Attempts to change an entry that other writes keep changing. */
const MAX_ATTEMPTS = 20;

/** Called with the number of entries changed so far. */
type Note = (changed: number) => void;

/** Runs one step. Can be repeated after an interruption at any point. */
export async function runStep(step: MigrationStep, mark: string, world: World, note: Note): Promise<void> {
  const rule = stepRule(step);
  const of = modelIn(step);
  const own = world.shape.types[of];
  const refusal = own ? await rule.refusal?.(step, world, own) : null;
  if (refusal) throw new MigrationError(`${describeStep(step)}: ${refusal}`);
  if (rule.work && own) await rule.work(step, world, own);
  if (!rule.item) return;
  const change = rule.item(step, world);
  for (const uid of holdersOf(world.shape, of)) {
    const type = world.shape.types[uid];
    if (type) await changeEntries(world, { uid, type, of, change, mark: rule.once ? mark : null, note });
  }
}

interface Entries {
  readonly uid: string;
  readonly type: ShapeType;
  readonly of: string;
  readonly change: ItemChange;
  readonly mark: string | null;
  readonly note: Note;
}

async function changeEntries(world: World, { uid, type, of, change, mark, note }: Entries): Promise<void> {
  let changed = 0;
  for (const collection of shapeCollections(type)) {
    const at = { status: collection === type.collection ? 'published' : 'draft' } as const;
    const entries = world.db.collection(collection);
    const filter = mark === null ? {} : { [MARK]: { $ne: mark } };
    const nextOf = async (entry: StoredEntry): Promise<StoredEntry | null> => {
      const next = await changeItems(entry, uid, { shape: world.shape, of, change, at }).catch(
        (error: unknown) => {
          throw error instanceof MigrationError
            ? new MigrationError(`${placeOf(uid, entry)}: ${error.message}`)
            : error;
        },
      );
      return (
        next && { ...next, _id: entry['_id'], _rev: new ObjectId(), ...(mark !== null && { [MARK]: mark }) }
      );
    };
    for await (const batch of batchesOf(world, collection, filter)) {
      let left: readonly StoredEntry[] = batch;
      for (let attempts = 0; left.length > 0; attempts++) {
        if (attempts === MAX_ATTEMPTS)
          throw new MigrationError(`${collection}: other writes keep changing its entries`);
        const pairs = await Promise.all(left.map(async (entry) => ({ entry, next: await nextOf(entry) })));
        const writes = pairs.flatMap(({ entry, next }) => (next ? [{ entry, next }] : []));
        if (writes.length === 0) break;
        world.alive();
        const matched = await replaceAll(world.db, collection, writes);
        changed += matched;
        note(changed);
        if (matched === writes.length) break;
        // Another process changed some of them meanwhile; those are processed again.
        const stored = await entries
          .find(anyFilter({ _id: { $in: writes.map(({ entry }) => entry['_id']) } }), { promoteLongs: false })
          .toArray();
        const ours = new Set(writes.map(({ next }) => String(next['_rev'])));
        left = stored.filter(({ _rev }) => !ours.has(String(_rev)));
      }
    }
  }
}

type Db = World['db'];

interface Replacing {
  readonly entry: StoredEntry;
  readonly next: StoredEntry;
}

/** Replaces the entries that have not changed since they were read. Returns their number. */
async function replaceAll(db: Db, collection: string, writes: readonly Replacing[]): Promise<number> {
  const operations = writes.map(({ entry, next }) => ({
    replaceOne: { filter: asRead(entry, next), replacement: next },
  }));
  // If an entry's shard key changes, it may have to move to another shard, which requires a command of its
  // own.
  const single = writes.some(({ entry, next }) => isMoved(entry, next)) && (await isCluster(db));
  const size = single ? 1 : operations.length;
  let matched = 0;
  for (let at = 0; at < operations.length; at += size) {
    const part = operations.slice(at, at + size);
    matched += (await db.collection(collection).bulkWrite(part, { ordered: false })).matchedCount;
  }
  return matched;
}

const isCluster = async (db: Db): Promise<boolean> =>
  topologyOf(await db.command({ hello: 1 })) === 'sharded cluster';

const isMoved = (entry: StoredEntry, next: StoredEntry): boolean =>
  (entry['locale'] ?? null) !== (next['locale'] ?? null);

/** Includes the whole shard key if its values may change, as MongoDB requires. */
function asRead(entry: StoredEntry, next: StoredEntry): object {
  const { _id, _rev = null, documentId, locale = null } = entry;
  return { _id, _rev, ...(isMoved(entry, next) && { documentId, locale }) };
}

const placeOf = (uid: string, { documentId, locale }: StoredEntry): string =>
  `${uid} ${String(documentId)}${locale === null || locale === undefined ? '' : ` (${String(locale)})`}`;

/** Removes the marks of a step. */
export async function removeMarks(world: World, types: readonly ShapeType[], prefix: string): Promise<void> {
  for (const type of types)
    for (const collection of shapeCollections(type))
      await world.db
        .collection(collection)
        .updateMany({ [MARK]: { $gte: prefix, $lt: `${prefix}\uffff` } }, { $unset: { [MARK]: '' } });
}
