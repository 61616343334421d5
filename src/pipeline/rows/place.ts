import type { RelationHop } from '../../query/read-plan.js';
import { isLocalizations } from '../../schema/relation.js';
import type { ComponentAttribute } from '../../schema/types.js';
import { stepInto } from '../step.js';
import type { Step } from '../types.js';

/** Where a condition stands: in an entry, or inside its components. */
export interface FieldPath {
  /** From the entry. */
  readonly steps: readonly Step[];
  /** Path since the innermost list item, or since the entry: empty, or ending with a dot. */
  readonly prefix: string;
  /** False inside a single component, which may be null: its `id` may be missing. */
  readonly certain: boolean;
}

export const ENTRY: FieldPath = { steps: [], prefix: '', certain: true };

export const insideSingle = (place: FieldPath, attribute: ComponentAttribute): FieldPath => ({
  steps: [...place.steps, stepInto(attribute)],
  prefix: `${place.prefix}${attribute.stored}.`,
  certain: false,
});

export const insideItem = (place: FieldPath, attribute: ComponentAttribute): FieldPath => ({
  steps: [...place.steps, stepInto(attribute)],
  prefix: '',
  certain: true,
});

/** The way to the innermost list item; empty where the place lies in no list. */
export const stepsToItem = ({ steps }: FieldPath): readonly Step[] =>
  steps.slice(0, steps.findLastIndex(({ list }) => list) + 1);

/** How a relation is followed from an entry: its own field, matched with a field of the target. */
export interface Link {
  readonly local: string;
  readonly foreign: string;
  /** Other locales of the same document. */
  readonly localizations: boolean;
  /** Values stand for each other in any form. */
  readonly texts: boolean;
}

/** `prefix` is where the attribute's model lies in the entry. Inverse relations stand in entries only. */
export function linkOf({ attribute }: Pick<RelationHop, 'attribute'>, prefix: string): Link {
  const { local, foreign, texts = false } = attribute.link;
  const owned = attribute.kind === 'media' || attribute.owner;
  return {
    local: owned ? `${prefix}${local}` : local,
    foreign,
    localizations: isLocalizations(attribute),
    texts,
  };
}
