import { forgetClaims } from '../store/entries/claims.js';
import { highestId } from '../store/entries/entries.js';
import { createSequences, peekSequences } from '../store/entries/sequence.js';
import type { Lock } from '../store/leases/lock.js';
import {
  removeRun,
  type StoredRun,
  takeMigrationLock,
  writeApplied,
  writeRun,
} from '../store/leases/migrations.js';
import { addEvents, SCRIPT, typesReplaced } from '../store/outbox/outbox.js';
import { MigrationError } from './error.js';
import { loadMigration, migrationFiles } from './files.js';
import { preview, type StepPreview } from './preview.js';
import { removeMarks, runStep } from './run-step.js';
import { draftsOf, holdersOf, mergeShapes, type StoredShape } from './shape.js';
import { type MigrateParts, standingOf } from './standing.js';
import type { World } from './step-rule.js';
import { describeStep, modelIn, stepRule } from './steps.js';
import type { MigrationStep } from './types.js';

interface MigrateOptions {
  readonly report?: (message: string) => void;
  /** Milliseconds without a heartbeat after which the lock's holder is considered dead. */
  readonly lease?: number;
}

const sequencesOf = ({ store }: MigrateParts, shape: StoredShape, peek: boolean) => {
  const highest = async (uid: string): Promise<number> => {
    const type = shape.types[uid];
    const collections = type ? [type.collection, draftsOf(type)] : [];
    return Math.max(0, ...(await Promise.all(collections.map((name) => highestId(store.db, name)))));
  };
  return peek ? peekSequences(store.db, highest) : createSequences(store, highest, () => 256);
};

const worldOf = (parts: MigrateParts, shape: StoredShape, migration: string, lock: Lock | null): World => ({
  db: parts.store.db,
  sequences: sequencesOf(parts, shape, lock === null),
  shape,
  stored: shape,
  migration,
  alive: () => {
    if (lock?.lost) throw new MigrationError('another process has taken over the migration');
  },
});

/** The applied shape before each step and after the last. */
function shapesOf(steps: readonly MigrationStep[], before: StoredShape, current: StoredShape): StoredShape[] {
  const shapes = [before];
  for (const step of steps) shapes.push(stepRule(step).reshape(shapes.at(-1) ?? before, step, current));
  return shapes;
}

const withLock = async <T>(
  { store }: MigrateParts,
  { lease }: MigrateOptions,
  work: (lock: Lock) => Promise<T>,
): Promise<T> => {
  const lock = await takeMigrationLock(store.db, lease);
  if (!lock) throw new MigrationError('another process is migrating this database');
  try {
    return await work(lock);
  } finally {
    await lock.release();
  }
};

/** Previews `up`: every pending step with counts and samples. Writes nothing. */
export async function previewUp(parts: MigrateParts): Promise<readonly StepPreview[]> {
  const { applied, current, pending } = await standingOf(parts);
  const migrations = await Promise.all(pending.map((file) => loadMigration(parts.root, file)));
  const steps = migrations.flatMap((migration) => migration.steps);
  const before = applied ?? current;
  return preview(steps, shapesOf(steps, before, current), worldOf(parts, before, 'preview', null));
}

interface Doing {
  readonly name: string;
  readonly steps: readonly MigrationStep[];
  /** One more than there are steps. */
  readonly shapes: readonly StoredShape[];
  readonly state: 'running' | 'undoing';
  readonly run: StoredRun;
}

/** Runs the remaining steps and records each, so that it continues after a crash. */
async function doSteps(
  parts: MigrateParts,
  lock: Lock,
  doing: Doing,
  report: (text: string) => void,
): Promise<StoredShape> {
  const { name, steps, shapes, state, run } = doing;
  const prefix = `${name}/${state}/`;
  const at = (step: number): StoredShape => shapes[step] ?? JSON.parse(run.shape);
  for (const [index, step] of steps.entries()) {
    if (index < run.step) continue;
    const world = worldOf(parts, at(index), name, lock);
    report(`${name}: ${describeStep(step)}`);
    let notedAt = performance.now();
    await runStep(step, `${prefix}${index}`, world, (changed) => {
      if (performance.now() - notedAt < 1000) return;
      notedAt = performance.now();
      report(`${name}: ${describeStep(step)}: ${changed} entries`);
    });
    world.alive();
    await writeRun(parts.store.db, { ...run, state, step: index + 1, shape: JSON.stringify(at(index + 1)) });
  }
  const after = at(steps.length);
  const uids = new Set(steps.flatMap((step, index) => holdersOf(at(index), modelIn(step))));
  const types = [...uids].flatMap((uid) => after.types[uid] ?? []);
  await removeMarks(worldOf(parts, after, name, lock), types, prefix);
  // The values were changed without the Document Service, so the next start claims them again.
  for (const uid of uids) await forgetClaims(parts.store.db, uid);
  // The log does not have each entry: its readers read the types again.
  const known = [...uids].filter((uid) => after.types[uid]);
  await addEvents(parts.store.db, typesReplaced(known, SCRIPT), null);
  return after;
}

/**
 * Applies the pending migrations, in the order of their files.
 * @returns the names of the applied migrations
 * @throws MigrationError if an entry cannot be changed, before anything is written
 */
export const up = (parts: MigrateParts, options: MigrateOptions = {}): Promise<readonly string[]> =>
  withLock(parts, options, async (lock) => {
    const { db } = parts.store;
    const report = options.report ?? (() => undefined);
    const { applied, current, pending, runs } = await standingOf(parts);
    const undoing = runs.find(({ state }) => state === 'undoing');
    if (undoing)
      throw new MigrationError(`${undoing._id} was only partly undone: mangrove migrate down continues`);
    let shape = applied ?? current;
    for (const file of pending) {
      const { steps } = await loadMigration(parts.root, file);
      const begun = runs.find(({ _id }) => _id === file.name);
      const before: StoredShape = begun ? JSON.parse(begun.before) : shape;
      const shapes = shapesOf(steps, before, current);
      if (!begun) await refuseWhatFails(parts, file.name, steps, shapes);
      const text = JSON.stringify(before);
      const run: StoredRun = begun ?? {
        _id: file.name,
        state: 'running',
        step: 0,
        before: text,
        shape: text,
        startedAt: new Date(),
      };
      if (!begun) await writeRun(db, run);
      shape = await doSteps(parts, lock, { name: file.name, steps, shapes, state: 'running', run }, report);
      await writeApplied(db, JSON.stringify(shape));
      await writeRun(db, {
        ...run,
        state: 'done',
        step: steps.length,
        shape: JSON.stringify(shape),
        endedAt: new Date(),
      });
    }
    const { needed } = await standingOf(parts);
    if (needed.length === 0) await writeApplied(db, JSON.stringify(mergeShapes(shape, current)));
    return pending.map(({ name }) => name);
  });

async function refuseWhatFails(
  parts: MigrateParts,
  name: string,
  steps: readonly MigrationStep[],
  shapes: readonly StoredShape[],
): Promise<void> {
  const [before] = shapes;
  if (!before) return;
  const previews = await preview(steps, shapes, worldOf(parts, before, name, null));
  const problems = previews.flatMap(({ step, problems: found }) =>
    found.map((problem) => `  ${step}: ${problem}`),
  );
  if (problems.length > 0)
    throw new MigrationError(
      `${name} cannot change everything, so nothing was written:\n${problems.join('\n')}`,
    );
}

/** The inverse steps of the last applied migration, and the shape before each and after the last. */
interface Undoing {
  readonly last: StoredRun;
  readonly steps: readonly MigrationStep[];
  readonly shapes: readonly StoredShape[];
}

async function lastToUndo(parts: MigrateParts): Promise<Undoing | null> {
  const { runs, current } = await standingOf(parts);
  const running = runs.find(({ state }) => state === 'running');
  if (running) throw new MigrationError(`${running._id} was interrupted: mangrove migrate up continues`);
  const last = runs.at(-1);
  if (!last) return null;
  const file = (await migrationFiles(parts.root)).find(({ name }) => name === last._id);
  if (!file) throw new MigrationError(`migrations/ no longer has the file ${last._id}`);
  const { steps } = await loadMigration(parts.root, file);
  const before: StoredShape = JSON.parse(last.before);
  const shapes = shapesOf(steps, before, current);
  const inverses = steps.map((step, at) => stepRule(step).inverse(step, shapes[at] ?? before));
  const problems = inverses.filter((inverse) => typeof inverse === 'string');
  if (problems.length > 0)
    throw new MigrationError(
      `${last._id} cannot be undone:\n${problems.map((why) => `  ${why}`).join('\n')}`,
    );
  const back = inverses.filter((inverse) => typeof inverse !== 'string').reverse();
  return { last, steps: back, shapes: shapes.reverse() };
}

/** Previews `down`, as `previewUp` does. Throws its errors. @returns null if no migration has been applied */
export async function previewDown(
  parts: MigrateParts,
): Promise<{ readonly migration: string; readonly steps: readonly StepPreview[] } | null> {
  const undoing = await lastToUndo(parts);
  if (!undoing) return null;
  const { last, steps, shapes } = undoing;
  const world = worldOf(parts, shapes[0] ?? JSON.parse(last.shape), 'preview', null);
  return { migration: last._id, steps: await preview(steps, shapes, world) };
}

/**
 * Undoes the last applied migration. @returns its name; null if there is none @throws MigrationError if a
 * step or an entry cannot be undone, before anything is written
 */
export const down = (parts: MigrateParts, options: MigrateOptions = {}): Promise<string | null> =>
  withLock(parts, options, async (lock) => {
    const { db } = parts.store;
    const undoing = await lastToUndo(parts);
    if (!undoing) return null;
    const { last, steps, shapes } = undoing;
    const run: StoredRun =
      last.state === 'undoing' ? last : { ...last, state: 'undoing', step: 0, startedAt: new Date() };
    if (last.state !== 'undoing') {
      await refuseWhatFails(parts, last._id, steps, shapes);
      await writeRun(db, run);
    }
    const doing = { name: last._id, steps, shapes, state: 'undoing', run } as const;
    await doSteps(parts, lock, doing, options.report ?? (() => undefined));
    await writeApplied(db, last.before);
    await removeRun(db, last._id);
    return last._id;
  });
