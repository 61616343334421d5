import type { Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import { readApplied, readRuns, type StoredRun, writeApplied, writeRun } from '../store/leases/migrations.js';
import { holdsAny } from '../store/transfer/import-entries.js';
import { type Difference, differencesOf } from './differences.js';
import { type MigrationFile, migrationFiles } from './files.js';
import { type StoredShape, shapeCollections, storedShapeOf } from './shape.js';

export interface MigrateParts {
  readonly root: string;
  readonly store: Store;
  readonly schema: Schema;
  /** The locale for entries that had none. */
  readonly defaultLocale: string;
}

/** How the stored content relates to the schema. */
interface Standing {
  /** Null if no schema has been recorded. */
  readonly applied: StoredShape | null;
  readonly current: StoredShape;
  readonly runs: readonly StoredRun[];
  /** Migration files that have not been applied, in order. */
  readonly pending: readonly MigrationFile[];
  /** Differences from the applied schema that no applied migration covers. */
  readonly needed: readonly Difference[];
}

export async function standingOf(parts: MigrateParts): Promise<Standing> {
  const { root, store, schema, defaultLocale } = parts;
  const [text, runs, files] = await Promise.all([
    readApplied(store.db),
    readRuns(store.db),
    migrationFiles(root),
  ]);
  const applied: StoredShape | null = text === null ? null : JSON.parse(text);
  const current = storedShapeOf(schema);
  const done = new Set(runs.filter(({ state }) => state === 'done').map(({ _id }) => _id));
  const needed: Difference[] = [];
  for (const difference of applied ? differencesOf(applied, current, defaultLocale) : [])
    if (applied && (await concernsData(store, applied, difference))) needed.push(difference);
  return { applied, current, runs, pending: files.filter(({ name }) => !done.has(name)), needed };
}

/** Whether any entry is affected by the difference. */
async function concernsData(
  { db }: Store,
  applied: StoredShape,
  { types, attribute }: Difference,
): Promise<boolean> {
  for (const uid of types) {
    const type = applied.types[uid];
    for (const collection of type ? shapeCollections(type) : []) {
      const filter = attribute === null ? {} : { [attribute]: { $exists: true, $nin: [null, []] } };
      if (await db.collection(collection).findOne(filter, { projection: { _id: 1 } })) return true;
    }
  }
  return false;
}

export const hasContent = async ({ db }: Store, { types }: StoredShape): Promise<boolean> => {
  for (const collection of Object.values(types).flatMap(shapeCollections))
    if (await holdsAny(db, collection)) return true;
  return false;
};

/** Records the schema as applied, together with `files`, which count as applied. */
export async function noteApplied(
  { store }: MigrateParts,
  shape: StoredShape,
  files: readonly MigrationFile[] = [],
): Promise<void> {
  const text = JSON.stringify(shape);
  const now = new Date();
  for (const { name } of files)
    await writeRun(store.db, {
      _id: name,
      state: 'done',
      step: 0,
      before: text,
      shape: text,
      startedAt: now,
      endedAt: now,
    });
  await writeApplied(store.db, text);
}
