import type { Import } from './context.js';
import type { Phase } from './state.js';

const isWhole = ({ selection }: Import): boolean =>
  selection.parts.includes('content') && !selection.onlyTypes && selection.excludedTypes.length === 0;

const rowsIn = ({ state }: Import): number =>
  Object.values(state.tally.entries).reduce((sum, { read }) => sum + read, 0);

const writes = ({ dryRun }: Import): number | null => (dryRun ? 0 : null);

type Total = (run: Import) => number | null | Promise<number>;

/** What each phase will process; 0 if it has nothing to do, null if that is not known before. */
const TOTALS: Readonly<Record<Phase, Total>> = {
  stage: () => null,
  pair: ({ staging }) => staging.count('pairs'),
  assign: ({ staging }) => staging.count('rows'),
  prepare: writes,
  // Rows that are not selected are passed over, but were not counted.
  write: (run) => (isWhole(run) ? rowsIn(run) : null),
  check: ({ staging }) => staging.count('links'),
  files: ({ selection }) => (selection.parts.includes('files') ? null : 0),
  finish: writes,
  switch: (run) => (run.mode === 'replace' ? writes(run) : 0),
  verify: (run) => (run.verify && !run.dryRun ? rowsIn(run) : 0),
};

export const totalOf = async (run: Import): Promise<number | null> => TOTALS[run.state.phase](run);
