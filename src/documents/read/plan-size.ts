import type { CompiledRead } from '../../pipeline/types.js';
import type { Selection } from '../../query/read-plan.js';
import { shownItems } from '../../query/selected.js';
import { plainBytes } from './plan-cache.js';

/** Of a selection with its projector, and of each attribute in it. */
const SELECTION = 2000;
const ATTRIBUTE = 300;
/** The condition, the checked node and the slots repeat what the stages say. */
const BESIDE_STAGES = 3;

/** Bytes that a prepared read keeps. */
export const planBytes = (selection: Selection, { stages, counted, semiJoins }: CompiledRead): number =>
  selectionBytes(selection) +
  BESIDE_STAGES *
    (plainBytes(stages) + plainBytes(counted) + plainBytes(semiJoins.map((join) => join.stages)));

/** The same for what is shown alone. */
export function selectionBytes(shown: Selection): number {
  let bytes = SELECTION + ATTRIBUTE * shown.scalars.length;
  for (const items of shownItems(shown)) bytes += selectionBytes(items);
  for (const { targets } of shown.relations)
    for (const { selection } of targets) bytes += selectionBytes(selection);
  return bytes;
}
