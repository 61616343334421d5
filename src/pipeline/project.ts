/** The closing projection: an allow-list, so nothing that the caller may not see leaves the database. */
import type { Condition, Selection } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { isReferring } from './keys.js';
import { linkedLocale, type Side, type Sides, sorted } from './sides.js';
import type { Stage } from './types.js';

export function projectStage(level: Level, sides: Sides): Stage {
  const { selection, type, extra } = level;
  const fields: Fields = { _id: 0, id: 1, documentId: 1 };
  for (const path of extra) fields[path] = 1;
  addFields(selection, '', fields);
  for (const side of sides.values()) {
    const inSets = isInSets(side, level);
    for (const path of inSets ? keyPaths(side) : []) fields[path] = 1;
    for (const path of referencePaths(side, type)) fields[path] = 1;
    for (const field of inSets ? [] : side.fields) fields[field] = 1;
  }
  return { $project: fields };
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

/** A count is of each row. */
export const isInSets = (side: Side, { list }: Level): boolean => list !== null && !countsInDatabase(side);

/** Whether the side field holds `[{ n }]`: a count of rows that belong to one place only. */
export const countsInDatabase = ({ relation, listed, kind }: Side): boolean =>
  relation.count && !listed && relation.targets.length === 1 && kind !== 'morph' && kind !== 'mediaInverse';

/** What a row is found by, and finds others by, where that happens outside of its pipeline. */
function keyPaths(side: Side): readonly string[] {
  const { attribute, targets } = side.relation;
  const ofParent =
    side.kind === 'localizations' ||
    targets.some(({ target, locale }) => target.localized && locale.kind === 'parent');
  const own = isReferring(side) ? [`${prefixOf(side)}${attribute.name}`] : [];
  return ofParent ? [...own, 'locale'] : own;
}

const prefixOf = ({ steps }: Side): string => steps.map(({ name }) => `${name}.`).join('');

type Fields = Record<string, 0 | 1>;

function addFields({ scalars, components, zones }: Selection, prefix: string, fields: Fields): void {
  for (const { name } of scalars) fields[`${prefix}${name}`] = 1;
  for (const { attribute, selection, filter, sort } of components) {
    const inside = `${prefix}${attribute.name}.`;
    fields[`${inside}id`] = 1;
    addFields(selection, inside, fields);
    if (filter) addTested(filter, inside, fields);
    for (const { via, attribute } of sort ?? [])
      if (via.every(({ kind }) => kind === 'component'))
        fields[inside + [...via.map((hop) => hop.attribute.name), attribute.name].join('.')] = 1;
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
  if (condition.kind === 'test') fields[`${prefix}${condition.attribute.name}`] = 1;
  if (condition.kind === 'some' && condition.via.kind === 'component')
    addTested(condition.where, `${prefix}${condition.via.attribute.name}.`, fields);
}

/** The stored references, where the renderer places the rows by them. */
function referencePaths(side: Side, type: ContentType): readonly string[] {
  const { attribute, targets } = side.relation;
  if (!isReferring(side)) return [];
  const prefix = prefixOf(side);
  const chosenByLink = targets.some((target) => linkedLocale(side, target, type.localized) !== null);
  const links = chosenByLink ? [`${prefix}_links.${attribute.name}.locale`] : [];
  const ordered = attribute.many && !targets.every(sorted);
  const needed = side.kind === 'morph' || side.listed || chosenByLink || (ordered && !side.relation.count);
  return needed ? [`${prefix}${attribute.name}`, ...links] : [];
}
