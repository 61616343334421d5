/** Predicts which reads are large from earlier ones: how much is populated is only known after reading. */
import { LRUCache } from 'lru-cache';
import { ALL } from '../../query/plan/weight.js';
import type { ReadPlan, SelectedFields } from '../../query/read-plan.js';
import { oncePer } from '../../values/once-per.js';
import { ofTexts } from './plan-cache.js';

/** Bytes above which a read waits for others that large. */
const LARGE_READ = 1_000_000;

interface LargeReads {
  /** Whether earlier reads that populate the same fetched much per entry. Unknown reads count as large. */
  expects(plan: ReadPlan): boolean;
  /** Records the size of a read with `rows` entries; null: the read failed, which counts as large. */
  learn(plan: ReadPlan, brought: { readonly bytes: number; readonly rows: number } | null): void;
}

export const isLarge = (bytes: number): boolean => bytes > LARGE_READ;

/** @param maxBytes of the shapes of populate that are remembered */
export function newLargeReads(maxBytes: number): LargeReads {
  const perRow = new LRUCache<string, number>(ofTexts(maxBytes));
  return {
    expects: (plan) => {
      const known = perRow.get(shapeOf(plan));
      return known === undefined || isLarge(known * (plan.page.limit ?? ALL));
    },
    learn(plan, brought) {
      if (brought?.rows === 0) return;
      const shape = shapeOf(plan);
      const now = brought === null ? LARGE_READ + 1 : brought.bytes / brought.rows;
      // A small read does not mean that the next one is small too.
      const known = perRow.get(shape);
      const next = Math.max(now, (now + (known ?? now)) / 2);
      if (next !== known) perRow.set(shape, next);
    },
  };
}

/** What is populated, regardless of fields, filters and pages. */
const shapeOf = oncePer(({ type, selection }: ReadPlan) => `${type.uid} ${populated(selection)}`);

function populated({ components, zones, relations }: SelectedFields): string {
  const parts = components.map(({ attribute, selection }) => `${attribute.name}(${populated(selection)})`);
  const items = zones.flatMap(({ attribute, on }) =>
    [...on].map(([uid, selection]) => `${attribute.name} ${uid}(${populated(selection)})`),
  );
  const related = relations.map(
    ({ attribute, targets }) =>
      `${attribute.name}(${targets.map(({ selection }) => populated(selection)).join('|')})`,
  );
  return [...parts, ...items, ...related].join();
}
