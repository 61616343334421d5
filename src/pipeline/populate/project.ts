/** The final projection is an allow-list, so that nothing that the caller may not see leaves the database. */
import { schemaAttribute } from '../../query/attributes.js';
import type { Condition, RelationTarget, SelectedFields } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import { prefixOf } from '../step.js';
import type { Stage } from '../types.js';
import { isReferring } from './keys.js';
import { type PopulateField, type PopulateFields, type SourceField, sorted } from './populate-fields.js';

/** @param narrowed the fields to select from rows that a lookup found whole, by populate field */
export function projectStage(
  level: Level,
  populates: PopulateFields,
  narrowed: ReadonlyMap<string, readonly string[]>,
): Stage {
  const { selection, type, extra } = level;
  const fields: Fields = type.storage ? { _id: 1 } : { _id: 0, id: 1, documentId: 1 };
  for (const path of extra) fields[path] = 1;
  addFields(selection, '', fields);
  for (const populate of populates.values()) {
    const inSets = isInSets(populate, level);
    for (const path of inSets ? keyPaths(populate) : []) fields[path] = 1;
    for (const path of referencePaths(populate)) fields[path] = 1;
    for (const { field } of inSets ? [] : populate.lookups.flat())
      for (const path of narrowed.get(field)?.map((each) => `${field}.${each}`) ?? [field]) fields[path] = 1;
  }
  return { $project: outermost(type.storage ? withoutPositions(fields) : fields) };
}

/** The entries at one level of populate: the page, or the targets of one path. */
export interface Level {
  readonly selection: SelectedFields;
  readonly type: ContentType;
  /** Further fields to keep. */
  readonly extra: readonly string[];
  /** In sets: the list that the rows are gathered in. Null: their relations are looked up for each row. */
  readonly list: string | null;
}

/** A populated path from a level to one source of one of its targets. */
export interface Path extends SourceField {
  readonly populate: PopulateField;
  readonly target: RelationTarget;
  readonly level: Level;
}

/** Counts are computed for each row. */
export const isInSets = (populate: PopulateField, { list }: Level): boolean =>
  list !== null && !countsInDatabase(populate);

/** Whether the populate field holds `[{ n }]`, the count of the rows, all of which belong to the same place. */
export const countsInDatabase = ({ relation, listed, kind, lookups }: PopulateField): boolean =>
  relation.count &&
  !listed &&
  lookups.flat().length === 1 &&
  !relation.targets[0]?.linked &&
  kind !== 'morph' &&
  kind !== 'mediaInverse';

/** The fields by which rows of a set are joined outside of their pipelines. */
function keyPaths(populate: PopulateField): readonly string[] {
  const { attribute, targets } = populate.relation;
  const ofParent =
    populate.kind === 'localizations' ||
    targets.some(({ target, locale }) => target.localized && locale.kind === 'parent');
  const own = isReferring(populate) ? [`${prefixOf(populate.steps)}${attribute.stored}`] : [];
  return ofParent ? [...own, 'locale'] : own;
}

/**
 * Removes paths inside other paths, which projections do not support: the components of a zone may have one name for a
 * component and for a text.
 */
function outermost(fields: Fields): Fields {
  const within = (path: string): boolean =>
    path.split('.').some((_, at, parts) => at > 0 && Object.hasOwn(fields, parts.slice(0, at).join('.')));
  return Object.fromEntries(Object.entries(fields).filter(([path]) => !within(path)));
}

/** Positions in lists, which projections do not support either. */
const withoutPositions = (fields: Fields): Fields =>
  Object.fromEntries(Object.keys(fields).map((path) => [path.replace(/\.\d+(\..*)?$/, ''), 1]));

type Fields = Record<string, 0 | 1>;

function addFields({ scalars, components, zones }: SelectedFields, prefix: string, fields: Fields): void {
  for (const { stored } of scalars) fields[`${prefix}${stored}`] = 1;
  for (const { attribute, selection, filter, sort } of components) {
    const inside = `${prefix}${attribute.stored}.`;
    const id = attribute.adopted ? schemaAttribute(selection.model, 'id')?.stored : 'id';
    if (id !== undefined) fields[`${inside}${id}`] = 1;
    // No attribute of the item is selected, only its presence.
    else if (selection.scalars.length === 0) fields[inside.slice(0, -1)] = 1;
    addFields(selection, inside, fields);
    if (filter) addTested(filter, inside, fields);
    for (const { via, attribute } of sort ?? [])
      if (via.every(({ kind }) => kind === 'component'))
        fields[inside + [...via.map((hop) => hop.attribute.stored), attribute.stored].join('.')] = 1;
  }
  for (const { attribute, on, filters } of zones) {
    const inside = `${prefix}${attribute.name}.`;
    fields[`${inside}id`] = 1;
    fields[`${inside}__component`] = 1;
    for (const selection of on.values()) addFields(selection, inside, fields);
    for (const filter of filters?.values() ?? []) addTested(filter, inside, fields);
  }
}

/** Adds the fields by which the renderer filters items; related rows are in populate fields. */
function addTested(condition: Condition, prefix: string, fields: Fields): void {
  if (condition.kind === 'and' || condition.kind === 'or')
    for (const part of condition.of) addTested(part, prefix, fields);
  if (condition.kind === 'test') fields[`${prefix}${condition.attribute.stored}`] = 1;
  if (condition.kind === 'some' && condition.via.kind === 'component')
    addTested(condition.where, `${prefix}${condition.via.attribute.stored}.`, fields);
}

/** The stored references, if the renderer needs them to place the rows. */
function referencePaths(populate: PopulateField): readonly string[] {
  const { attribute, targets } = populate.relation;
  const chosenByLink = targets.some(({ linked }) => linked);
  if (!isReferring(populate)) return chosenByLink ? ['locale'] : [];
  const prefix = prefixOf(populate.steps);
  const ofEntry = targets.some(({ linked }) => linked?.otherwise === null) ? ['locale'] : [];
  const links = chosenByLink ? [`${prefix}_links.${attribute.name}.locale`, ...ofEntry] : [];
  const ordered = attribute.many && !targets.every(sorted);
  const needed =
    populate.kind === 'morph' || populate.listed || chosenByLink || (ordered && !populate.relation.count);
  return needed ? [`${prefix}${attribute.stored}`, ...links] : [];
}
