import { enumName, REFUSED_ATTRIBUTES, snakeCase } from '../../schema/names.js';
import { SYSTEM_TYPES } from '../../schema/system.js';
import type { Problem } from '../types.js';
import type { Attribute3, Model3, Raw } from './models.js';
import { uidOf } from './names.js';

/** What a field of a document becomes. */
export type Field =
  | { readonly as: 'scalar'; readonly name: string; readonly type: string }
  | {
      readonly as: 'component' | 'zone';
      readonly name: string;
      readonly many: boolean;
      readonly components: readonly string[];
    }
  | { readonly as: 'link'; readonly name: string; readonly many: boolean; readonly target: string }
  | { readonly as: 'morph'; readonly name: string }
  /** The other side holds it. */
  | { readonly as: 'virtual'; readonly name: string };

export interface Translated {
  readonly field: Field;
  /** The attribute in Strapi 5's form. */
  readonly schema: Raw;
  readonly problem?: string;
}

export interface Models {
  /** By uid of Strapi 3. */
  readonly byUid: ReadonlyMap<string, Model3>;
}

/** What Strapi 3 adds to every model by itself; Strapi 5 has its own. */
const AUTOMATIC = new Set(['created_by', 'updated_by', 'published_at', 'locale', 'localizations']);

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
/** A timestamp of Strapi 3 is a date with time, in the database and in answers. */
const TYPES: Readonly<Record<string, string>> = { timestamp: 'datetime' };
const SCALARS = new Set([...UNIQUE, 'password', 'boolean', 'json']);

/** The attributes of a model in both forms, by the name of the document's field; problems as `name: sentence`. */
export function translateModel(model: Model3, models: Models): ReadonlyMap<string, Translated> {
  const translated = new Map<string, Translated>();
  const taken = new Set(Object.keys(SYSTEM_TYPES).map(snakeCase));
  for (const [key, attribute] of Object.entries(model.attributes)) {
    if (AUTOMATIC.has(key) && !model.isComponent) continue;
    if (model.timestamps?.includes(key) || NOT_OURS.has(`${model.uid} ${key}`)) continue;
    const name = freeName(key, taken);
    const found = translateAttribute(attribute, { model, name, models });
    if (found === null) continue;
    taken.add(snakeCase(name));
    const renamed = name === key ? [] : [`it is called ${name} here`];
    const said = [...renamed, ...(found.problem === undefined ? [] : [found.problem])];
    translated.set(key, { ...found, ...(said.length > 0 && { problem: said.join('; ') }) });
  }
  // Strapi 5 keeps no times of components.
  for (const name of model.isComponent ? (model.timestamps ?? []) : [])
    if (!translated.has(name) && /^[A-Za-z]\w*$/.test(name))
      translated.set(name, {
        field: { as: 'scalar', name, type: 'datetime' },
        schema: { type: 'datetime' },
      });
  return translated;
}

/** Attributes of built-in types that follow from others or come another way. */
export const NOT_OURS = new Set([
  'plugins::upload.file related',
  'plugins::users-permissions.role permissions',
  'plugins::users-permissions.role users',
]);

/** rules D.6. */
function freeName(key: string, taken: ReadonlySet<string>): string {
  const plain = key.replace(/[^A-Za-z0-9_]/g, '_').replace(/^[^A-Za-z]+/, '') || 'field';
  let name = plain;
  for (let number = 3; taken.has(snakeCase(name)) || REFUSED_ATTRIBUTES.has(snakeCase(name)); number += 1)
    name = `${plain}_v${number}`;
  return name;
}

interface Place {
  readonly model: Model3;
  readonly name: string;
  readonly models: Models;
}

function translateAttribute(attribute: Attribute3, place: Place): Translated | null {
  if (attribute.model !== undefined || attribute.collection !== undefined) return relation(attribute, place);
  const { type } = attribute;
  if (type === 'component') return component(attribute, place);
  if (type === 'dynamiczone') return zone(attribute, place);
  return scalar(attribute, place);
}

const common = (attribute: Raw, { model }: Place): Raw => ({
  ...(attribute['required'] === true && { required: true }),
  ...(attribute['private'] === true && { private: true }),
  ...(model.localized && localizedOption(attribute)),
});

function localizedOption(attribute: Raw): Raw {
  const options = attribute['pluginOptions'] as
    | { readonly i18n?: { readonly localized?: unknown } }
    | undefined;
  return { pluginOptions: { i18n: { localized: options?.i18n?.localized === true } } };
}

function scalar(attribute: Attribute3, place: Place): Translated {
  const given = TYPES[attribute.type ?? ''] ?? attribute.type ?? '';
  const values = Array.isArray(attribute['enum']) ? attribute['enum'].map(String) : [];
  const fits = given === 'enumeration' ? isEnumeration(values) : SCALARS.has(given);
  const type = fits ? given : given === 'enumeration' ? 'string' : 'json';
  const problem = fits
    ? undefined
    : `${given === 'enumeration' ? 'values that Strapi 5 refuses' : `type "${given}"`}: kept as ${type}`;
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

const bounds = ({ min, max }: Raw): Raw => ({
  ...(typeof min === 'number' && { min }),
  ...(typeof max === 'number' && { max }),
});

function component(attribute: Attribute3, place: Place): Translated | null {
  const uid = attribute.component ?? '';
  if (!place.models.byUid.has(uid)) return null;
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

function zone(attribute: Attribute3, place: Place): Translated {
  const components = (attribute.components ?? []).filter((uid) => place.models.byUid.has(uid));
  return {
    field: { as: 'zone', name: place.name, many: true, components },
    schema: { type: 'dynamiczone', components, ...common(attribute, place), ...bounds(attribute) },
  };
}

/** The model that a relation of Strapi 3 points to. */
export function targetOf(attribute: Attribute3, { byUid }: Models): Model3 | null {
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

function relation(attribute: Attribute3, place: Place): Translated | null {
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
  if (uid === 'plugin::upload.file') {
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
  const { required: _, ...options } = common(attribute, place) as { readonly required?: boolean };
  const schema = (kind: string, more: Raw = {}): Raw => ({
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
  const via = nameIn(target, attribute.via, models);
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

/** Of two equal sides one owns: the dominant one, the one that is stored, else the first by name. */
function isOwner(attribute: Attribute3, back: Attribute3, model: Model3, target: Model3): boolean {
  if ((attribute.dominant === true) !== (back.dominant === true)) return attribute.dominant === true;
  if ((attribute.isVirtual === true) !== (back.isVirtual === true)) return back.isVirtual === true;
  return `${model.uid} ${keyOf(model, attribute)}` < `${target.uid} ${keyOf(target, back)}`;
}

const keyOf = (model: Model3, attribute: Attribute3): string =>
  Object.entries(model.attributes).find(([, one]) => one === attribute)?.[0] ?? '';

/** The name that an attribute of another model gets. */
function nameIn(model: Model3, key: string, _models: Models): string {
  const taken = new Set(Object.keys(SYSTEM_TYPES).map(snakeCase));
  for (const other of Object.keys(model.attributes)) {
    if (AUTOMATIC.has(other) || model.timestamps?.includes(other)) continue;
    const name = freeName(other, taken);
    if (other === key) return name;
    taken.add(snakeCase(name));
  }
  return key;
}

export const problemOf = (model: Model3, key: string, why: string): Problem => ({
  what: 'schema',
  at: `${uidOf(model) ?? model.uid} ${key}`,
  why,
  kept: true,
});
