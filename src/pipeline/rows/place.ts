import type { RelationHop } from '../../query/read-plan.js';
import { isLocalizations } from '../../schema/relation.js';
import type { ComponentAttribute } from '../../schema/types.js';
import { stepInto } from '../step.js';
import type { Step } from '../types.js';

/** Where a condition applies: in an entry, or inside its components. */
export interface FieldPath {
  /** The steps from the entry. */
  readonly steps: readonly Step[];
  /** The path from the innermost list item or the entry: empty, or with a trailing dot. */
  readonly prefix: string;
  /** False inside a single component, which may be null, so that even its `id` may be missing. */
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

/** The steps to the innermost list item; empty if the place is not in a list. */
export const stepsToItem = ({ steps }: FieldPath): readonly Step[] =>
  steps.slice(0, steps.findLastIndex(({ list }) => list) + 1);

/** The fields that connect an entry with its targets. */
export interface JoinFields {
  readonly local: string;
  readonly foreign: string;
  /** The targets are the other locales of the same document. */
  readonly localizations: boolean;
  /** Values match in any of their forms. */
  readonly texts: boolean;
}

/** @param prefix the path of the attribute's model in the entry; inverse relations exist only in entries */
export function joinFieldsOf({ attribute }: Pick<RelationHop, 'attribute'>, prefix: string): JoinFields {
  const { local, foreign, texts = false } = attribute.link;
  const owned = attribute.kind === 'media' || attribute.owner;
  return {
    local: owned ? `${prefix}${local}` : local,
    foreign,
    localizations: isLocalizations(attribute),
    texts,
  };
}
