import type { Document } from 'bson';
import { PAUSE, type Paced } from '../../values/pace.js';
import { isTurnOver, tick } from '../../values/work.js';
import type { Stage } from '../stage.js';

/** The output of some stages over documents, from which the part for any subset of the input can be selected. */
interface AlignedOutput {
  /** What the stages would have produced for the documents at some positions alone. */
  pick(places: readonly number[]): Document[];
}

/** Runs stages that track where their output comes from. */
export function* alignAll(documents: readonly Document[], stages: readonly Stage[]): Paced<AlignedOutput> {
  if (stages.length === 0) return { pick: (places) => places.map((place) => documents[place] as Document) };
  let current = documents;
  let from = documents.map((_, i) => i);
  for (const stage of stages) {
    if (stage.align === undefined) break;
    const aligned = yield* stage.align(current);
    const origin = from;
    current = aligned.documents;
    from = aligned.from.map((place) => origin[place] as number);
  }
  const output = current;
  const places: number[][] = documents.map(() => []);
  for (const [i, place] of from.entries()) {
    places[place]?.push(i);
    tick();
    if (isTurnOver()) yield PAUSE;
  }
  return {
    pick(wanted) {
      const found = wanted.flatMap((place) => {
        tick();
        return places[place] as number[];
      });
      if (wanted.length > 1) found.sort((a, b) => a - b);
      return found.map((place) => output[place] as Document);
    },
  };
}
