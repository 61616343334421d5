/** The closing projection: an allow-list, so nothing that the caller may not see leaves the database. */
import type { Condition, Selection } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { linkedLocale, type Side, type SideKind, type Sides, sorted } from './sides.js';
import type { Stage } from './types.js';

export function projectStage(
  selection: Selection,
  type: ContentType,
  sides: Sides,
  extra: readonly string[],
): Stage {
  const fields: Fields = { _id: 0, id: 1, documentId: 1 };
  for (const path of extra) fields[path] = 1;
  addFields(selection, '', fields);
  for (const side of sides.values()) {
    for (const path of referencePaths(side, type)) fields[path] = 1;
    for (const field of side.fields) fields[field] = 1;
  }
  return { $project: fields };
}

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

const REFERRING: ReadonlySet<SideKind> = new Set<SideKind>(['owned', 'morph', 'tested']);

/** The stored references, where the renderer places the rows by them. */
function referencePaths(side: Side, type: ContentType): readonly string[] {
  const { attribute, targets } = side.relation;
  if (!REFERRING.has(side.kind)) return [];
  const prefix = side.steps.map(({ name }) => `${name}.`).join('');
  const chosenByLink = targets.some((target) => linkedLocale(side, target, type.localized) !== null);
  const links = chosenByLink ? [`${prefix}_links.${attribute.name}.locale`] : [];
  const ordered = attribute.many && !targets.every(sorted);
  const needed = side.kind === 'morph' || side.listed || chosenByLink || (ordered && !side.relation.count);
  return needed ? [`${prefix}${attribute.name}`, ...links] : [];
}
