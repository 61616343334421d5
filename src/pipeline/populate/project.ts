/** The closing projection: an allow-list, so nothing that the caller may not see leaves the database. */
import { attributeBehind } from '../../query/attributes.js';
import type { Condition, RelationTarget, Selection } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import { prefixOf } from '../step.js';
import type { Stage } from '../types.js';
import { isReferring } from './keys.js';
import { type PopulateField, type PopulateFields, sorted } from './populate-fields.js';

/** `narrowed`: the fields of rows that were found whole, by their side field. */
export function projectStage(
  level: Level,
  sides: PopulateFields,
  narrowed: ReadonlyMap<string, readonly string[]>,
): Stage {
  const { selection, type, extra } = level;
  const fields: Fields = type.storage ? { _id: 1 } : { _id: 0, id: 1, documentId: 1 };
  for (const path of extra) fields[path] = 1;
  addFields(selection, '', fields);
  for (const side of sides.values()) {
    const inSets = isInSets(side, level);
    for (const path of inSets ? keyPaths(side) : []) fields[path] = 1;
    for (const path of referencePaths(side)) fields[path] = 1;
    for (const field of inSets ? [] : side.fields)
      for (const path of narrowed.get(field)?.map((each) => `${field}.${each}`) ?? [field]) fields[path] = 1;
  }
  return { $project: type.storage ? outermost(fields) : fields };
}

/** Entries that are shown: the page, or the targets of one path. */
export interface Level {
  readonly selection: Selection;
  readonly type: ContentType;
  /** Fields that are kept besides. */
  readonly extra: readonly string[];
  /** In sets: the list that these rows are gathered in. Null: what they populate is looked up for each row. */
  readonly list: string | null;
}

/** A populated path of a level to one of its targets. */
export interface Path {
  readonly side: PopulateField;
  readonly target: RelationTarget;
  /** The side field. */
  readonly field: string;
  readonly level: Level;
}

/** A count is of each row. */
export const isInSets = (side: PopulateField, { list }: Level): boolean =>
  list !== null && !countsInDatabase(side);

/** Whether the side field holds `[{ n }]`: a count of rows that belong to one place only. */
export const countsInDatabase = ({ relation, listed, kind }: PopulateField): boolean =>
  relation.count &&
  !listed &&
  relation.targets.length === 1 &&
  !relation.targets[0]?.linked &&
  kind !== 'morph' &&
  kind !== 'mediaInverse';

/** What a row is found by, and finds others by, where that happens outside of its pipeline. */
function keyPaths(side: PopulateField): readonly string[] {
  const { attribute, targets } = side.relation;
  const ofParent =
    side.kind === 'localizations' ||
    targets.some(({ target, locale }) => target.localized && locale.kind === 'parent');
  const own = isReferring(side) ? [`${prefixOf(side.steps)}${attribute.stored}`] : [];
  return ofParent ? [...own, 'locale'] : own;
}

/** No path beside one that it lies in, and none into a list by number, which a projection does not follow. */
function outermost(fields: Fields): Fields {
  const paths = new Set(Object.keys(fields).map((path) => path.replace(/\.\d+(\..*)?$/, '')));
  const within = (path: string): boolean =>
    path.split('.').some((_, at, parts) => at > 0 && paths.has(parts.slice(0, at).join('.')));
  return Object.fromEntries([...paths].filter((path) => !within(path)).map((path) => [path, 1]));
}

type Fields = Record<string, 0 | 1>;

function addFields({ scalars, components, zones }: Selection, prefix: string, fields: Fields): void {
  for (const { stored } of scalars) fields[`${prefix}${stored}`] = 1;
  for (const { attribute, selection, filter, sort } of components) {
    const inside = `${prefix}${attribute.stored}.`;
    const id = attribute.adopted ? attributeBehind(selection.model, 'id')?.stored : 'id';
    if (id !== undefined) fields[`${inside}${id}`] = 1;
    // Nothing of an item is chosen, but whether it is there.
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

/** What the renderer tests to choose the items that are shown; related rows stand in side fields. */
function addTested(condition: Condition, prefix: string, fields: Fields): void {
  if (condition.kind === 'and' || condition.kind === 'or')
    for (const part of condition.of) addTested(part, prefix, fields);
  if (condition.kind === 'test') fields[`${prefix}${condition.attribute.stored}`] = 1;
  if (condition.kind === 'some' && condition.via.kind === 'component')
    addTested(condition.where, `${prefix}${condition.via.attribute.stored}.`, fields);
}

/** The stored references, where the renderer places the rows by them. */
function referencePaths(side: PopulateField): readonly string[] {
  const { attribute, targets } = side.relation;
  const chosenByLink = targets.some(({ linked }) => linked);
  if (!isReferring(side)) return chosenByLink ? ['locale'] : [];
  const prefix = prefixOf(side.steps);
  const ofEntry = targets.some(({ linked }) => linked?.otherwise === null) ? ['locale'] : [];
  const links = chosenByLink ? [`${prefix}_links.${attribute.name}.locale`, ...ofEntry] : [];
  const ordered = attribute.many && !targets.every(sorted);
  const needed = side.kind === 'morph' || side.listed || chosenByLink || (ordered && !side.relation.count);
  return needed ? [`${prefix}${attribute.stored}`, ...links] : [];
}
