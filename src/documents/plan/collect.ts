import { errors } from '../../errors.js';
import { modelOf } from '../../schema/find.js';
import type { MediaAttribute, Model, RelationAttribute, Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Wanted } from '../resolve/targets.js';
import { parseRelation, targetsOf } from './relation-input.js';

/** Every target that the relations and media of `data` name, at any depth of its components. */
export function collectTargets(
  schema: Schema,
  model: Model,
  data: Readonly<Record<string, unknown>>,
): Wanted[] {
  const wanted: Wanted[] = [];
  for (const attribute of model.attributes.values()) {
    const value = data[attribute.name];
    if (attribute.system || value === undefined) continue;
    if (attribute.kind === 'relation' || attribute.kind === 'media')
      for (const target of targetsOf(parseRelation(value)))
        wanted.push({ ...target, uid: targetUid(attribute, target.type) });
    if (attribute.kind === 'component' || attribute.kind === 'zone')
      for (const item of Array.isArray(value) ? value : [value]) {
        const inner = itemModel(schema, attribute.kind === 'component' ? attribute.component : null, item);
        if (inner) for (const target of collectTargets(schema, inner, item)) wanted.push(target);
      }
  }
  return wanted;
}

/** The content type that a link of this attribute leads to; polymorphic links say it themselves. */
export function targetUid(attribute: RelationAttribute | MediaAttribute, type: string | null): string {
  if (attribute.kind === 'media') return FILE_UID;
  const uid = attribute.target ?? type;
  if (uid === null) throw errors.invalidKey({ key: attribute.name, path: attribute.name });
  return uid;
}

/** The component that a value is an item of; null for anything that is no item (validation refuses it). */
export function itemModel(schema: Schema, uid: string | null, item: unknown): Model | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null;
  const name = uid ?? ('__component' in item ? item.__component : null);
  return typeof name === 'string' ? (modelOf(schema, name) ?? null) : null;
}
