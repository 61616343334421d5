/** The closing projection: an allow-list, so nothing that the caller may not see leaves the database. */
import type { Selection } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { linkedLocale, type Side, type Sides, sorted } from './sides.js';
import type { Stage } from './types.js';

export function projectStage(
  selection: Selection,
  type: ContentType,
  sides: Sides,
  extra: readonly string[],
): Stage {
  const fields = new Set<string>(['id', 'documentId', ...extra]);
  addFields(selection, '', fields);
  for (const side of sides.values()) {
    for (const path of referencePaths(side, type)) fields.add(path);
    for (const field of side.fields) fields.add(field);
  }
  return { $project: { _id: 0, ...Object.fromEntries([...fields].map((field) => [field, 1])) } };
}

function addFields({ scalars, components, zones }: Selection, prefix: string, fields: Set<string>): void {
  for (const { name } of scalars) fields.add(`${prefix}${name}`);
  for (const { attribute, selection } of components) {
    fields.add(`${prefix}${attribute.name}.id`);
    addFields(selection, `${prefix}${attribute.name}.`, fields);
  }
  for (const { attribute, on } of zones) {
    fields.add(`${prefix}${attribute.name}.id`);
    fields.add(`${prefix}${attribute.name}.__component`);
    for (const selection of on.values()) addFields(selection, `${prefix}${attribute.name}.`, fields);
  }
}

/** The stored references, where the renderer places the rows by them. */
function referencePaths(side: Side, type: ContentType): readonly string[] {
  const { attribute, targets } = side.relation;
  if (side.kind !== 'owned' && side.kind !== 'morph') return [];
  const prefix = side.steps.map(({ name }) => `${name}.`).join('');
  const chosenByLink = targets.some((target) => linkedLocale(side, target, type.localized) !== null);
  const links = chosenByLink ? [`${prefix}_links.${attribute.name}.locale`] : [];
  const ordered = attribute.many && !targets.every(sorted);
  const needed = side.kind === 'morph' || side.listed || chosenByLink || (ordered && !side.relation.count);
  return needed ? [`${prefix}${attribute.name}`, ...links] : [];
}
