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
  expects(plan: ReadPlan, client: string): boolean;
  /** Records the size of a read. */
  learn(plan: ReadPlan, client: string, brought: { readonly bytes: number; readonly rows: number }): void;
  /**
   * A read failed or was abandoned, so its size is unknown: its client's reads of the same shape count as large until some
   * were small. Not those of other clients, whom it could hold up.
   */
  fail(plan: ReadPlan, client: string): void;
}

export const isLarge = (bytes: number): boolean => bytes > LARGE_READ;

/** @param maxBytes of the shapes of populate that are remembered */
export function newLargeReads(maxBytes: number): LargeReads {
  const perRow = new LRUCache<string, number>(ofTexts(maxBytes));
  const note = (key: string, now: number): void => {
    // A small read does not mean that the next one is small too.
    const known = perRow.get(key);
    const next = Math.max(now, (now + (known ?? now)) / 2);
    if (next !== known) perRow.set(key, next);
  };
  return {
    expects: (plan, client) => {
      const shape = shapeOf(plan);
      const known = perRow.get(shape);
      const own = perRow.get(failedBy(client, shape)) ?? 0;
      return known === undefined || isLarge(Math.max(known, own) * (plan.page.limit ?? ALL));
    },
    learn(plan, client, { bytes, rows }) {
      if (rows === 0) return;
      const shape = shapeOf(plan);
      note(shape, bytes / rows);
      const failed = failedBy(client, shape);
      if (perRow.has(failed)) note(failed, bytes / rows);
    },
    fail: (plan, client) => note(failedBy(client, shapeOf(plan)), LARGE_READ + 1),
  };
}

const failedBy = (client: string, shape: string): string => `${client} ${shape}`;

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
