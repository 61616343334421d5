import type { Problem } from './error.js';
import type { ModelSource } from './raw.js';

/**
 * Components may contain themselves, as their data ends somewhere; but where each step is required and single, no finite
 * value can be published.
 */
export function checkCycles(sources: readonly ModelSource[]): readonly Problem[] {
  const steps = new Map(sources.map((source) => [source.uid, requiredSteps(source)]));
  return sources.flatMap((source) => {
    if (source.model !== 'component') return [];
    const [first] = requiredSteps(source).filter(([, uid]) => reaches(uid, source.uid, steps, new Set()));
    return first
      ? [
          {
            file: source.file,
            path: `attributes.${first[0]}.required`,
            expected: `false: the component would contain itself infinitely`,
          },
        ]
      : [];
  });
}

type Steps = readonly (readonly [attribute: string, uid: string])[];

const requiredSteps = (source: ModelSource): Steps =>
  Object.entries(source.raw.attributes).flatMap(([name, raw]) =>
    raw.type === 'component' &&
    raw.required === true &&
    raw.repeatable !== true &&
    raw.component !== undefined
      ? [[name, raw.component] as const]
      : [],
  );

function reaches(from: string, goal: string, steps: ReadonlyMap<string, Steps>, seen: Set<string>): boolean {
  if (from === goal) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (steps.get(from) ?? []).some(([, uid]) => reaches(uid, goal, steps, seen));
}
