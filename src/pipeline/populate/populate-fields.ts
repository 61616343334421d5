/**
 * Each populated path of an entry has a populate field at the top of that entry, whatever component, list or
 * zone contains the reference. The pipeline puts the populated rows in these fields; the renderer puts them in
 * their places.
 */
import type {
  Condition,
  RelationSelection,
  RelationTarget,
  SelectedFields,
  SortKey,
} from '../../query/read-plan.js';
import { isLocalizations, isMediaInverse } from '../../schema/relation.js';
import { sourcesOf } from '../sources/sources-of.js';
import { insideList, stepInto } from '../step.js';
import type { Source, Step } from '../types.js';
import { hiddenFields } from './hidden-fields.js';

/** `tested` is not rendered: populated items are filtered or sorted by it. */
type PopulateKind =
  | 'owned'
  | 'inverse'
  | 'localizations'
  | 'morph'
  | 'morphInverse'
  | 'mediaInverse'
  | 'tested';

export interface PopulateField {
  readonly relation: RelationSelection;
  readonly kind: PopulateKind;
  /** From the entry to the model with the attribute. */
  readonly steps: readonly Step[];
  /** Inside a repeatable component or zone, where one populate field serves all items. */
  readonly listed: boolean;
  /** One per target: the field with its rows. */
  readonly fields: readonly string[];
  /** One per target: its lookups, usually a single one into its field. If there are several, the renderer merges them. */
  readonly lookups: readonly (readonly SourceField[])[];
}

/** A source of a target, and the field for the rows from it. */
export interface SourceField {
  readonly source: Source;
  readonly field: string;
}

/** The key is a place (see `placeOf`), or the condition or sort key that goes through a relation. */
export type PopulateFields = ReadonlyMap<string | Condition | SortKey, PopulateField>;

export const placeOf = (steps: readonly Step[], attribute: string): string =>
  [...steps.map(({ name, component }) => (component ? `${name}:${component}` : name)), attribute].join('/');

/** The populate fields of an entry, numbered in the order of the selection. */
export function populateFieldsOf(selection: SelectedFields): PopulateFields {
  const populates = new Map<string | Condition | SortKey, PopulateField>();
  collect(selection, []);
  return populates;

  function collect({ relations, components, zones }: SelectedFields, steps: readonly Step[]): void {
    for (const relation of relations)
      add(placeOf(steps, relation.attribute.name), relation, kindOf(relation), steps);
    for (const { attribute, selection: inner, filter, sort } of components)
      collectItems(inner, [...steps, stepInto(attribute)], filter, sort);
    for (const { attribute, on, filters } of zones)
      for (const [component, inner] of on)
        collectItems(inner, [...steps, stepInto(attribute, component)], filters?.get(component));
  }

  function collectItems(
    inner: SelectedFields,
    steps: readonly Step[],
    filter?: Condition,
    sort?: readonly SortKey[] | null,
  ): void {
    collect(inner, steps);
    for (const hidden of hiddenFields(filter, sort, steps))
      add(hidden.key, hidden.relation, 'tested', hidden.steps);
  }

  function add(
    key: string | Condition | SortKey,
    relation: RelationSelection,
    kind: PopulateKind,
    steps: readonly Step[],
  ): void {
    const name = `_r${populates.size}`;
    const { targets } = relation;
    const fields = targets.length === 1 ? [name] : targets.map((_, index) => `${name}_${index}`);
    const lookups = targets.map((target, index) => sourceFields(target, fields[index] ?? name));
    populates.set(key, { relation, kind, steps, listed: insideList(steps), fields, lookups });
  }
}

function sourceFields({ target, status, moment }: RelationTarget, field: string): readonly SourceField[] {
  const [source, ...others] = sourcesOf(target, status, moment);
  if (others.length === 0) return [{ source, field }];
  return [source, ...others].map((each, index) => ({ source: each, field: `${field}_${index}` }));
}

function kindOf({ attribute }: RelationSelection): PopulateKind {
  if (isMediaInverse(attribute)) return 'mediaInverse';
  if (attribute.kind === 'media') return 'owned';
  if (isLocalizations(attribute)) return 'localizations';
  if (attribute.relation === 'morphOne' || attribute.relation === 'morphMany') return 'morphInverse';
  if (attribute.relation === 'morphToOne' || attribute.relation === 'morphToMany') return 'morph';
  return attribute.owner ? 'owned' : 'inverse';
}

/** Whether the query sorts the rows; the lookup's order is then kept. */
export const sorted = (target: RelationTarget): boolean => target.sort !== null && target.sort.length > 0;
