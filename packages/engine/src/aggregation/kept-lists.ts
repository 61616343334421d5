import type { Document } from 'bson';
import { rootOf } from '../values/paths.js';
import { stageRule } from './stage-rules.js';

/** The top-level fields that a stage writes. */
function writtenBy(name: string, operand: Document | null): readonly string[] {
  const paths = name === '$lookup' ? [String(operand?.['as'])] : Object.keys(operand ?? {});
  return paths.map(rootOf);
}

/**
 * For each `$lookup`, by its position: the lists, its own and those of earlier ones, that are still in the pipeline's final
 * documents unchanged.
 */
export function keptLists(stages: readonly Document[]): ReadonlyMap<number, readonly string[]> {
  const kept: { readonly at: number; readonly as: string }[] = [];
  const later = new Set<string>();
  for (let at = stages.length - 1; at >= 0; at--) {
    const [[name, operand] = ['', null]] = Object.entries(stages[at] as Document);
    if (!stageRule(name).adds) break;
    const written = writtenBy(name, operand);
    const [as = ''] = written;
    if (name === '$lookup' && as === operand?.['as'] && !later.has(as)) kept.unshift({ at, as });
    for (const member of written) later.add(member);
  }
  return new Map(kept.map(({ at }, i) => [at, kept.slice(0, i + 1).map(({ as }) => as)]));
}
