/** Which reads are heavy, as earlier ones have shown: how much is populated is known only once it has been read. */
import { LRUCache } from 'lru-cache';
import type { ReadPlan, Selection } from '../../query/read-plan.js';

/** Bytes from which a read waits for others as large. */
const LARGE_READ = 1_000_000;
/** Entries of a page without a limit. */
const ALL = 1000;

export interface LargeReads {
  /** Whether reads that populate the same brought much for each entry of their page. */
  expects(plan: ReadPlan): boolean;
  /** What a read brought for `rows` entries; null: it was not finished, and is taken for a large one. */
  learn(plan: ReadPlan, brought: { readonly bytes: number; readonly rows: number } | null): void;
}

/** @param max shapes of populate that are remembered */
export function newLargeReads(max: number): LargeReads {
  const perRow = new LRUCache<string, number>({ max });
  return {
    expects: (plan) => {
      const shape = shapeOf(plan);
      return shape !== null && (perRow.get(shape) ?? 0) * (plan.page.limit ?? ALL) > LARGE_READ;
    },
    learn(plan, brought) {
      const shape = shapeOf(plan);
      if (shape === null || brought?.rows === 0) return;
      perRow.set(shape, brought === null ? LARGE_READ + 1 : brought.bytes / brought.rows);
    },
  };
}

/** Null: it populates no relations. */
function shapeOf({ type, selection }: ReadPlan): string | null {
  const shape = populated(selection);
  return shape === '' ? null : `${type.uid} ${shape}`;
}

function populated({ components, zones, relations }: Selection): string {
  const parts = [
    ...components.map(({ attribute, selection }) => [attribute.name, populated(selection)]),
    ...zones.flatMap(({ attribute, on }) =>
      [...on].map(([uid, selection]) => [`${attribute.name} ${uid}`, populated(selection)]),
    ),
  ].flatMap(([name, inner]) => (inner === '' ? [] : [`${name}(${inner})`]));
  const related = relations.map(
    ({ attribute, targets }) =>
      `${attribute.name}(${targets.map(({ selection }) => populated(selection)).join('|')})`,
  );
  return [...parts, ...related].join();
}
