import type { CompiledRead } from '../../pipeline/types.js';
import type { Selection } from '../../query/read-plan.js';
import { plainBytes } from './plan-cache.js';

/** Of a selection with its projector, and of each attribute in it. */
const SELECTION = 2000;
const ATTRIBUTE = 300;
/** The condition, the checked node and the slots repeat what the stages say. */
const BESIDE_STAGES = 3;

/** Bytes that a prepared read keeps. */
export const planBytes = (selection: Selection, { stages, counted, semiJoins }: CompiledRead): number =>
  ofSelection(selection) +
  BESIDE_STAGES *
    (plainBytes(stages) + plainBytes(counted) + plainBytes(semiJoins.map((join) => join.stages)));

function ofSelection({ scalars, components, zones, relations }: Selection): number {
  let bytes = SELECTION + ATTRIBUTE * scalars.length;
  for (const { selection } of components) bytes += ofSelection(selection);
  for (const { on } of zones) for (const selection of on.values()) bytes += ofSelection(selection);
  for (const { targets } of relations) for (const { selection } of targets) bytes += ofSelection(selection);
  return bytes;
}
