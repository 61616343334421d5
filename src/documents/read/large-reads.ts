/** Which reads are heavy, as earlier ones have shown: how much is populated is known only once it has been read. */
import { LRUCache } from 'lru-cache';
import { ALL } from '../../query/plan/weight.js';
import type { ReadPlan, Selection } from '../../query/read-plan.js';
import { oncePer } from '../../values/once-per.js';

/** Bytes from which a read waits for others as large. */
const LARGE_READ = 1_000_000;

interface LargeReads {
  /** Whether reads that populate the same brought much for each entry of their page. One whose like was never seen is taken for large. */
  expects(plan: ReadPlan): boolean;
  /** What a read brought for `rows` entries; null: it was not finished, and is taken for a large one. */
  learn(plan: ReadPlan, brought: { readonly bytes: number; readonly rows: number } | null): void;
}

export const isLarge = (bytes: number): boolean => bytes > LARGE_READ;

/** @param max shapes of populate that are remembered */
export function newLargeReads(max: number): LargeReads {
  const perRow = new LRUCache<string, number>({ max });
  return {
    expects: (plan) => {
      const known = perRow.get(shapeOf(plan));
      return known === undefined || isLarge(known * (plan.page.limit ?? ALL));
    },
    learn(plan, brought) {
      if (brought?.rows === 0) return;
      const shape = shapeOf(plan);
      const now = brought === null ? LARGE_READ + 1 : brought.bytes / brought.rows;
      // One that is small does not mean that the next one is.
      const known = perRow.get(shape);
      const next = Math.max(now, (now + (known ?? now)) / 2);
      if (next !== known) perRow.set(shape, next);
    },
  };
}

/** What is populated, whatever its fields, filters and pages. */
const shapeOf = oncePer(({ type, selection }: ReadPlan) => `${type.uid} ${populated(selection)}`);

function populated({ components, zones, relations }: Selection): string {
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
