import type { CompiledRead } from '../../pipeline/types.js';
import type { SelectedFields } from '../../query/read-plan.js';
import { shownItems } from '../../query/selected.js';
import { plainBytes } from './plan-cache.js';

/** Estimated bytes of a selection with its projector, and of each attribute in it. */
const SELECTION = 2000;
const ATTRIBUTE = 300;
/** The condition, the checked query and the slots repeat the content of the stages. */
const BESIDE_STAGES = 3;

/** Estimated bytes of a prepared read. */
export const planBytes = (selection: SelectedFields, { stages, counted, semiJoins }: CompiledRead): number =>
  selectionBytes(selection) +
  BESIDE_STAGES *
    (plainBytes(stages) + plainBytes(counted) + plainBytes(semiJoins.map((join) => join.stages)));

/** The part of that for its selection. */
export function selectionBytes(shown: SelectedFields): number {
  let bytes = SELECTION + ATTRIBUTE * shown.scalars.length;
  for (const items of shownItems(shown)) bytes += selectionBytes(items);
  for (const { targets } of shown.relations)
    for (const { selection } of targets) bytes += selectionBytes(selection);
  return bytes;
}
