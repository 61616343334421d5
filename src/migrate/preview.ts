import { changeItems } from './change-items.js';
import { MigrationError } from './error.js';
import { holdersOf, type StoredShape, shapeCollections } from './shape.js';
import type { World } from './step-rule.js';
import { describeStep, modelIn, stepRule } from './steps.js';
import { batchesOf } from './type-steps.js';
import type { MigrationStep, StoredEntry } from './types.js';

/** What a step would do. */
export interface StepPreview {
  readonly step: string;
  /** Number of entries that it would change; for a step on whole collections, the number of their entries. */
  readonly entries: number;
  /** Some of the changes, with only the attributes that change. */
  readonly samples: readonly {
    readonly documentId: unknown;
    readonly before: StoredEntry;
    readonly after: StoredEntry;
  }[];
  /** Entries that it cannot change; the migration would stop before writing anything. */
  readonly problems: readonly string[];
}

const MAX_SAMPLES = 3;
const MAX_PROBLEMS = 10;

interface Tally {
  entries: number;
  readonly samples: StepPreview['samples'][number][];
  readonly problems: string[];
}

/** Applies the steps to all entries one after the other, without writing. */
export async function preview(
  steps: readonly MigrationStep[],
  shapes: readonly StoredShape[],
  world: World,
): Promise<readonly StepPreview[]> {
  const tallies: Tally[] = steps.map(() => ({ entries: 0, samples: [], problems: [] }));
  for (const [uid, type] of Object.entries(world.shape.types)) {
    const touching = steps.map((step, at) => {
      const rule = stepRule(step);
      const shape = shapes[at] ?? world.shape;
      return { rule, step, at, shape, concerns: holdersOf(shape, modelIn(step)).includes(uid) };
    });
    if (!touching.some(({ concerns }) => concerns)) continue;
    for (const { rule, step, at, shape, concerns } of touching) {
      const refusal = concerns ? await rule.refusal?.(step, { ...world, shape }, type) : null;
      if (refusal) tallies[at]?.problems.push(refusal);
    }
    for (const collection of shapeCollections(type)) {
      const place = { status: collection === type.collection ? 'published' : 'draft' } as const;
      for await (const batch of batchesOf(world, collection))
        for (const stored of batch) {
          let entry: StoredEntry = stored;
          for (const { rule, step, at, shape, concerns } of touching) {
            const tally = tallies[at];
            if (!concerns || !tally) continue;
            if (rule.work) tally.entries += 1;
            if (!rule.item) continue;
            try {
              const change = rule.item(step, { ...world, shape });
              const next = await changeItems(entry, uid, { shape, of: modelIn(step), change, at: place });
              if (next) note(tally, entry, next);
              entry = next ?? entry;
            } catch (error) {
              if (!(error instanceof MigrationError)) throw error;
              if (tally.problems.length < MAX_PROBLEMS)
                tally.problems.push(`${uid} ${String(entry['documentId'])}: ${error.message}`);
            }
          }
        }
    }
  }
  return steps.map((step, at) => ({
    step: describeStep(step),
    ...(tallies[at] ?? { entries: 0, samples: [], problems: [] }),
  }));
}

function note(tally: Tally, before: StoredEntry, after: StoredEntry): void {
  tally.entries += 1;
  if (tally.samples.length >= MAX_SAMPLES) return;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  const pick = (entry: StoredEntry): StoredEntry =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(entry, name) ? [[name, entry[name]]] : [])));
  tally.samples.push({ documentId: before['documentId'], before: pick(before), after: pick(after) });
}
