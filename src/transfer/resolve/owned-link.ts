import { modelOf } from '../../schema/find.js';
import type { Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { SourceLink } from '../source/types.js';

/** Converts a link to one of its owning attribute; a string explains why there is none. */
export function ownedLink(schema: Schema, link: SourceLink): SourceLink | string {
  const { from, field, to } = link;
  const model = modelOf(schema, from.uid);
  if (!model) return `there is no model ${from.uid}`;
  const attribute = model.attributes.get(field);
  if (!attribute || attribute.system) return `${model.uid} has no attribute ${field}`;
  const target = schema.contentTypes.get(to.uid);
  if (!target) return `there is no content type ${to.uid}`;
  if (attribute.kind === 'media')
    return target.uid === FILE_UID ? link : `${field} holds files, not ${target.uid}`;
  if (attribute.kind !== 'relation') return `${field} is not a relation`;
  if (attribute.target !== null && attribute.target !== target.uid)
    return `${field} refers to ${attribute.target}, not ${target.uid}`;
  if (attribute.owner) return link;
  const owning = attribute.mappedBy ?? attribute.morphBy;
  const owner = owning === null ? undefined : target.attributes.get(owning);
  if (owning === null || owner?.kind !== 'relation' || !owner.owner) return `${field} is stored nowhere`;
  const { position, inversePosition } = link;
  return { ...link, from: to, field: owning, to: from, position: inversePosition, inversePosition: position };
}
