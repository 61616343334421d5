import { enumName } from '../../schema/names.js';
import type { PlainObject } from '../../values/plain-object.js';
import { type AttributePlace, attributeNames, common, type ModelsByUid, type Translated } from './fields.js';
import type { Attribute3, Model3 } from './models.js';
import { relation } from './relations.js';

const UNIQUE = new Set([
  'string',
  'text',
  'richtext',
  'email',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'float',
  'decimal',
  'date',
  'time',
  'datetime',
]);
const LENGTHS = new Set(['string', 'text', 'richtext', 'email', 'password', 'uid']);
const NUMBERS = new Set(['integer', 'float', 'decimal']);
/** A `timestamp` of Strapi 3 is a date with time, both stored and in responses. */
const TYPES: Readonly<Record<string, string>> = { timestamp: 'datetime' };
const SCALARS = new Set([...UNIQUE, 'password', 'boolean', 'json']);

/**
 * Translates the attributes of a model, by the name of the document's field; problems are of the form `name:
 * sentence`.
 */
export function translateModel(model: Model3, models: ModelsByUid): ReadonlyMap<string, Translated> {
  const translated = new Map<string, Translated>();
  for (const [key, name] of attributeNames(model)) {
    const attribute = model.attributes[key];
    const found = attribute && translateAttribute(attribute, { model, name, models });
    if (!found) continue;
    const renamed = name === key ? [] : [`it is renamed to ${name}`];
    const said = [...renamed, ...(found.problem === undefined ? [] : [found.problem])];
    const schema = model.privateAttributes.includes(key) ? { ...found.schema, private: true } : found.schema;
    translated.set(key, { ...found, schema, ...(said.length > 0 && { problem: said.join('; ') }) });
  }
  // Components have no timestamps in Strapi 5.
  for (const name of model.isComponent ? (model.timestamps ?? []) : [])
    if (!translated.has(name) && /^[A-Za-z]\w*$/.test(name))
      translated.set(name, {
        field: { as: 'scalar', name, type: 'datetime' },
        schema: { type: 'datetime' },
      });
  return translated;
}

function translateAttribute(attribute: Attribute3, place: AttributePlace): Translated | null {
  if (attribute.model !== undefined || attribute.collection !== undefined) return relation(attribute, place);
  const { type } = attribute;
  if (type === 'component') return component(attribute, place);
  if (type === 'dynamiczone') return zone(attribute, place);
  return scalar(attribute, place);
}

function scalar(attribute: Attribute3, place: AttributePlace): Translated {
  const given = TYPES[attribute.type ?? ''] ?? attribute.type ?? '';
  const values = Array.isArray(attribute['enum']) ? attribute['enum'].map(String) : [];
  const fits = given === 'enumeration' ? isEnumeration(values) : SCALARS.has(given);
  const type = fits ? given : given === 'enumeration' ? 'string' : 'json';
  const problem = fits
    ? undefined
    : `${given === 'enumeration' ? 'values that Strapi 5 does not allow' : `type "${given}"`}: kept as ${type}`;
  const schema: Record<string, unknown> = { type, ...common(attribute, place) };
  if (attribute['unique'] === true && UNIQUE.has(type)) schema['unique'] = true;
  if (type === 'enumeration') schema['enum'] = values;
  if (type === 'uid') {
    const target = place.model.attributes[String(attribute['targetField'])]?.type;
    if (
      target !== undefined &&
      ['string', 'text', 'email', 'enumeration', 'integer', 'biginteger', 'richtext'].includes(target)
    )
      schema['targetField'] = attribute['targetField'];
  }
  for (const limit of LENGTHS.has(type)
    ? ['minLength', 'maxLength']
    : NUMBERS.has(type)
      ? ['min', 'max']
      : [])
    if (typeof attribute[limit] === 'number') schema[limit] = attribute[limit];
  const value = attribute['default'];
  if (isDefault(type, value, values) && schema['targetField'] === undefined) schema['default'] = value;
  return {
    field: { as: 'scalar', name: place.name, type },
    schema,
    ...(problem !== undefined && { problem }),
  };
}

const isEnumeration = (values: readonly string[]): boolean =>
  values.length > 0 &&
  values.every((value) => value !== '' && !/^\d/.test(value)) &&
  new Set(values.map(enumName)).size === values.length;

const isDefault = (type: string, value: unknown, values: readonly string[]): boolean => {
  if (value === undefined || value === null) return false;
  if (type === 'boolean') return typeof value === 'boolean';
  if (type === 'enumeration') return values.includes(String(value));
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'float' || type === 'decimal') return typeof value === 'number';
  if (type === 'json') return true;
  return ['string', 'text', 'richtext', 'email'].includes(type) && typeof value === 'string' && value !== '';
};

const bounds = ({ min, max }: PlainObject): PlainObject => ({
  ...(typeof min === 'number' && { min }),
  ...(typeof max === 'number' && { max }),
});

function component(attribute: Attribute3, place: AttributePlace): Translated | null {
  const uid = attribute.component ?? '';
  if (!place.models.has(uid)) return null;
  const many = attribute.repeatable === true;
  return {
    field: { as: 'component', name: place.name, many, components: [uid] },
    schema: {
      type: 'component',
      component: uid,
      repeatable: many,
      ...common(attribute, place),
      ...(many && bounds(attribute)),
    },
  };
}

function zone(attribute: Attribute3, place: AttributePlace): Translated {
  const components = (attribute.components ?? []).filter((uid) => place.models.has(uid));
  return {
    field: { as: 'zone', name: place.name, many: true, components },
    schema: { type: 'dynamiczone', components, ...common(attribute, place), ...bounds(attribute) },
  };
}
