import { FILE_UID } from '../../schema/uids.js';
import type { PlainObject } from '../../values/plain-object.js';
import {
  type AttributePlace,
  attributeNames,
  common,
  type Field,
  type ModelsByUid,
  type Translated,
} from './fields.js';
import type { Attribute3, Model3 } from './models.js';
import { uidOf } from './names.js';

/** The model that a relation of Strapi 3 refers to. */
function targetOf(attribute: Attribute3, byUid: ModelsByUid): Model3 | null {
  const name = attribute.model ?? attribute.collection ?? '';
  const models = [...byUid.values()].filter((model) => !model.isComponent);
  if (attribute.plugin !== undefined && attribute.plugin !== '')
    return (
      byUid.get(attribute.plugin === 'admin' ? `strapi::${name}` : `plugins::${attribute.plugin}.${name}`) ??
      null
    );
  return (
    byUid.get(`application::${name}.${name}`) ??
    models.find(({ uid }) => uid.startsWith('application::') && uid.endsWith(`.${name}`)) ??
    null
  );
}

/** Translates a relation or media attribute; null if its target does not exist here. */
export function relation(attribute: Attribute3, place: AttributePlace): Translated | null {
  const { name, models, model } = place;
  const many = attribute.collection !== undefined;
  if (attribute.model === '*' || attribute.collection === '*')
    return {
      field: { as: 'morph', name },
      schema: {
        type: 'relation',
        relation: many ? 'morphToMany' : 'morphToOne',
        ...common(attribute, place),
      },
    };
  const target = targetOf(attribute, models);
  const uid = target && uidOf(target);
  if (!target || uid === null) return null;
  if (uid === FILE_UID) {
    const kinds = Array.isArray(attribute['allowedTypes']) ? attribute['allowedTypes'] : [];
    const allowed = kinds.filter((kind) => ['images', 'videos', 'files', 'audios'].includes(String(kind)));
    return {
      field: { as: 'link', name, many, target: uid },
      schema: {
        type: 'media',
        multiple: many,
        ...(allowed.length > 0 && { allowedTypes: allowed }),
        ...common(attribute, place),
      },
    };
  }
  const { required: _, ...options } = common(attribute, place);
  const schema = (kind: string, more: PlainObject = {}): PlainObject => ({
    type: 'relation',
    relation: kind,
    target: uid,
    ...more,
    ...options,
  });
  const own: Field = { as: 'link', name, many, target: uid };
  const back = model.isComponent ? undefined : target.attributes[attribute.via ?? ''];
  const oneWay: Translated = { field: own, schema: schema(many ? 'oneToMany' : 'oneToOne') };
  if (!back || attribute.via === undefined) return oneWay;
  const via = nameIn(target, attribute.via);
  if (back.model === '*' || back.collection === '*')
    return { field: own, schema: schema(many ? 'morphMany' : 'morphOne', { morphBy: via }) };
  const answers = targetOf(back, models) === model && back.via === keyOf(model, attribute);
  if (!answers) return oneWay;
  const backMany = back.collection !== undefined;
  const owner = many === backMany ? isOwner(attribute, back, place.model, target) : !many;
  const kind = `${backMany ? 'many' : 'one'}To${many ? 'Many' : 'One'}`;
  const pair = schema(kind, owner ? { inversedBy: via } : { mappedBy: via });
  return {
    field: attribute.isVirtual === true || (many && !owner) ? { as: 'virtual', name } : own,
    schema: pair,
  };
}

/**
 * Which of two equal sides owns the relation: the dominant one, or the one that is stored, or the first by
 * name.
 */
function isOwner(attribute: Attribute3, back: Attribute3, model: Model3, target: Model3): boolean {
  if ((attribute.dominant === true) !== (back.dominant === true)) return attribute.dominant === true;
  if ((attribute.isVirtual === true) !== (back.isVirtual === true)) return back.isVirtual === true;
  return `${model.uid} ${keyOf(model, attribute)}` < `${target.uid} ${keyOf(target, back)}`;
}

const keyOf = (model: Model3, attribute: Attribute3): string =>
  Object.entries(model.attributes).find(([, one]) => one === attribute)?.[0] ?? '';

/** The name that an attribute of another model gets. */
const nameIn = (model: Model3, key: string): string => attributeNames(model).get(key) ?? key;
