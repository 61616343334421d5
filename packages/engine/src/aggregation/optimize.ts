import type { Document } from 'bson';
import { isWhole64, toDouble } from '../values/numbers.js';
import { type Shortcuts, use } from '../values/shortcuts.js';
import { stageName, stageRule } from './stage-rules.js';

/** The internal name of a sort that knows how many documents are needed; users cannot write it. */
export const SORTED_LIMIT = '$sortedLimit';

const WINDOW = ['$skip', '$limit'];

function moveWindows(stages: readonly Document[]): Document[] {
  const out: Document[] = [];
  for (const stage of stages) {
    let at = out.length;
    if (WINDOW.includes(stageName(stage))) {
      while (at > 0 && stageRule(stageName(out[at - 1])).oneToOne) at -= 1;
    }
    out.splice(at, 0, stage);
  }
  return out;
}

/** The stages, with windows (skip and limit) moved before those that do not change the number of documents. */
export function movedWindows(stages: readonly Document[], shortcuts: Shortcuts): readonly Document[] {
  const moved = moveWindows(stages);
  const isMoved = moved.some((stage, i) => stage !== stages[i]);
  return isMoved && use(shortcuts, 'movedWindows') ? moved : stages;
}

const whole = (value: unknown): number | undefined => {
  const number = toDouble(value);
  return isWhole64(value) && number > 0 ? number : undefined;
};

/** The number of documents that a sort must produce for the window after it; undefined for all. */
function reachOf(stages: readonly Document[], from: number): number | undefined {
  let skipped = 0;
  for (let i = from; i < stages.length; i++) {
    const stage = stages[i] as Document;
    if ('$limit' in stage) {
      const limit = whole(stage['$limit']);
      return limit === undefined ? undefined : skipped + limit;
    }
    const skip = '$skip' in stage ? whole(stage['$skip']) : undefined;
    if (skip === undefined) return undefined;
    skipped += skip;
  }
  return undefined;
}

/** Rewrites a checked pipeline into an equivalent one that does less work: windows move forward, and a sort knows its limit. */
export function optimize(stages: readonly Document[], shortcuts: Shortcuts): readonly Document[] {
  const moved = movedWindows(stages, shortcuts);
  return moved.map((stage, i) => {
    if (!('$sort' in stage)) return stage;
    const limit = reachOf(moved, i + 1);
    return limit !== undefined && use(shortcuts, 'topSorts')
      ? { [SORTED_LIMIT]: { sort: stage['$sort'], limit } }
      : stage;
  });
}
