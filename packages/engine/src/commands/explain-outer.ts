import type { Document } from 'bson';
import type { Query } from '../planner/plan.js';
import { isWhole } from '../planner/run-query.js';
import type { CompiledUpdate } from '../update/index.js';

/** The statistics of a query's execution. */
export interface Seen {
  readonly found: number;
  /** Of these, the documents that an update would change. */
  readonly changed: number;
}

/** What a command does with the documents that its query finds. */
export interface Outer {
  readonly stage: 'COUNT' | 'RECORD_STORE_FAST_COUNT' | 'DELETE' | 'UPDATE';
  readonly stats: (seen: Seen) => Document;
  readonly returned: (seen: Seen) => number;
  readonly update?: CompiledUpdate | undefined;
  readonly fields?: Document | undefined;
}

const NONE = (): number => 0;

export const counting = (query: Query): Outer => ({
  stage: isWhole(query) ? 'RECORD_STORE_FAST_COUNT' : 'COUNT',
  stats: ({ found }) => ({ nCounted: found, nSkipped: query.skip ?? 0 }),
  returned: NONE,
});

export const deleting: Outer = {
  stage: 'DELETE',
  stats: ({ found }) => ({ nWouldDelete: found }),
  returned: NONE,
};

export const updating = (update: CompiledUpdate, upsert: boolean): Outer => ({
  stage: 'UPDATE',
  stats: ({ found, changed }) => ({
    nMatched: found,
    nWouldModify: changed,
    nWouldUpsert: upsert && found === 0 ? 1 : 0,
  }),
  returned: NONE,
  update,
});

/** A command on a single document that returns it, through its `fields`. */
export function answering(outer: Outer, { fields, new: isNew, upsert }: Document): Outer {
  const inserts = isNew === true && upsert === true;
  return { ...outer, fields, returned: ({ found }) => (found === 0 && inserts ? 1 : found) };
}

/** The command's stages above those of its query; given the query's statistics, with what they would do. */
export function wrapStages(outer: Outer | undefined, below: Document, seen?: Seen): Document {
  if (outer === undefined) return below;
  const nReturned = seen === undefined ? {} : { nReturned: outer.returned(seen) };
  const told = seen === undefined ? {} : outer.stats(seen);
  const isWhole = outer.stage === 'RECORD_STORE_FAST_COUNT';
  const inner = { stage: outer.stage, ...nReturned, ...told, ...(isWhole ? {} : { inputStage: below }) };
  if (outer.fields === undefined || Object.keys(outer.fields).length === 0) return inner;
  return { stage: 'PROJECTION_DEFAULT', ...nReturned, transformBy: outer.fields, inputStage: inner };
}
