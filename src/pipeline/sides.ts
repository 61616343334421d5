/**
 * Where populated rows are left: each populated path of an entry has a side field on that entry, whatever component, repeatable
 * or zone the reference stands in. The pipeline fills the fields, the renderer puts the rows in their places.
 */
import type { LocaleChoice, RelationSelection, RelationTarget, Selection } from '../query/read-plan.js';
import type { Model } from '../schema/types.js';
import type { Step } from './types.js';

export type SideKind = 'owned' | 'inverse' | 'localizations' | 'morph' | 'morphInverse' | 'mediaInverse';

export interface Side {
  readonly relation: RelationSelection;
  readonly kind: SideKind;
  /** From the entry to the model that holds the attribute. */
  readonly steps: readonly Step[];
  /** Inside a repeatable component or zone: one side field serves all items. */
  readonly listed: boolean;
  /** One a target. */
  readonly fields: readonly string[];
}

/** By place; see `placeOf`. */
export type Sides = ReadonlyMap<string, Side>;

export const placeOf = (steps: readonly Step[], attribute: string): string =>
  [...steps.map(({ name, component }) => (component ? `${name}:${component}` : name)), attribute].join('/');

/** The side fields of an entry, numbered in the order of the selection. */
export function sidesOf(selection: Selection): Sides {
  const sides = new Map<string, Side>();
  collect(selection, [], sides);
  return sides;
}

function collect(selection: Selection, steps: readonly Step[], sides: Map<string, Side>): void {
  for (const relation of selection.relations) {
    const name = `_r${sides.size}`;
    const { targets } = relation;
    sides.set(placeOf(steps, relation.attribute.name), {
      relation,
      kind: kindOf(relation, selection.model),
      steps,
      listed: steps.some(({ list }) => list),
      fields: targets.length === 1 ? [name] : targets.map((_, index) => `${name}_${index}`),
    });
  }
  for (const { attribute, selection: inner } of selection.components)
    collect(inner, [...steps, { name: attribute.name, list: attribute.many }], sides);
  for (const { attribute, on } of selection.zones)
    for (const [component, inner] of on)
      collect(inner, [...steps, { name: attribute.name, list: true, component }], sides);
}

/** Its `related` are the entries that show it (SPEC C.7): stored nowhere, the inverse of every media attribute. */
const FILE = 'plugin::upload.file';

function kindOf({ attribute }: RelationSelection, model: Model): SideKind {
  if (attribute.name === 'related' && model.uid === FILE) return 'mediaInverse';
  if (attribute.kind === 'media') return 'owned';
  if (attribute.name === 'localizations' && attribute.system) return 'localizations';
  if (attribute.relation === 'morphOne' || attribute.relation === 'morphMany') return 'morphInverse';
  if (attribute.relation === 'morphToOne' || attribute.relation === 'morphToMany') return 'morph';
  return attribute.owner ? 'owned' : 'inverse';
}

/**
 * The default locale, where each reference may name a locale of its own: a localized target of an entry that is not localized
 * (SPEC F.3). The rows of all locales are looked up then, and the renderer chooses.
 */
export function linkedLocale(side: Side, target: RelationTarget, localizedEntry: boolean): string | null {
  const { locale }: { locale: LocaleChoice } = target;
  const chosen = side.kind === 'owned' && target.target.localized && !localizedEntry;
  return chosen && locale.kind === 'one' ? locale.code : null;
}

/** Whether the rows keep the order in which the lookup gives them. */
export const sorted = (target: RelationTarget): boolean => target.sort !== null && target.sort.length > 0;
