/** Entries, component items and files as answers show them. */
import { existingComponent, existingType } from '../../schema/find.js';
import type { Attribute, Component, ContentType, Model, ScalarAttribute } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { attributesFor, type Describing } from './describing.js';
import { FILE_MEMBERS } from './files.js';
import {
  anyOf,
  arrayOf,
  exactly,
  integerSchema,
  nameIn,
  objectOf,
  oneOfNamed,
  schemaOrNull,
} from './json-schema.js';
import { scalarAnswer } from './scalars.js';
import type { JsonSchema, Schemas } from './types.js';

/** Additional members besides the attributes. */
type Marks = Schemas;

const KEYS: ReadonlySet<string> = new Set(['id', 'documentId']);

/**
 * A reference to an entry of a type. `fields` may leave out everything but the keys; relations are present if
 * populated.
 */
export const entry = (type: ContentType, describing: Describing): JsonSchema =>
  describing.ofModel(type, '', () => entrySchema(type, {}, describing));

/** The same with `__type`, which identifies members of a polymorphic relation. */
const typedEntry = (type: ContentType, describing: Describing): JsonSchema =>
  describing.ofModel(type, 'Related', () => entrySchema(type, { __type: exactly(type.uid) }, describing));

/** A reference to an item of a component. */
const item = (component: Component, describing: Describing): JsonSchema =>
  describing.ofModel(component, '', () => itemSchema(component, {}, describing));

const zoneItem = (component: Component, describing: Describing): JsonSchema =>
  describing.ofModel(component, 'Item', () =>
    itemSchema(component, { __component: exactly(component.uid) }, describing),
  );

export function entrySchema(type: ContentType, marks: Marks, describing: Describing): JsonSchema {
  const shown = attributesFor(type, describing);
  const keys = membersOf(
    type,
    shown.filter(({ name }) => KEYS.has(name)),
    describing,
  );
  const members = {
    ...membersOf(
      type,
      shown.filter(({ name }) => !KEYS.has(name)),
      describing,
    ),
    ...marks,
  };
  const required = Object.keys(marks);
  const title = { description: type.displayName };
  return describing.form.v4
    ? { ...title, ...objectOf({ ...keys, attributes: objectOf(members, required) }) }
    : { ...title, ...objectOf({ ...keys, ...members }, [...Object.keys(keys), ...required]) };
}

function itemSchema(component: Component, marks: Marks, describing: Describing): JsonSchema {
  const shown = attributesFor(component, describing).filter(
    ({ name, system }) => !(system && name === 'id') || describing.config.rest.componentIds,
  );
  const members = { ...membersOf(component, shown, describing), ...marks };
  return { description: component.displayName, ...objectOf(members, Object.keys(marks)) };
}

const membersOf = (model: Model, attributes: readonly Attribute[], describing: Describing): Schemas =>
  Object.fromEntries(
    attributes.map((attribute) => [attribute.name, attributeAnswer(model, attribute, describing)]),
  );

/** The value of an attribute in an answer. */
function attributeAnswer(model: Model, attribute: Attribute, describing: Describing): JsonSchema {
  switch (attribute.kind) {
    case 'scalar':
      return (
        (model.uid === FILE_UID ? FILE_MEMBERS[attribute.name]?.(describing) : undefined) ??
        scalarAnswer({ model, attribute }, isNullable(model, attribute), describing)
      );
    case 'relation':
      return linked(related(attribute.target, model, describing), attribute.many, describing);
    case 'media': {
      const file = entry(fileType(describing), describing);
      return linked(file, attribute.many, describing);
    }
    case 'component': {
      const one = item(existingComponent(describing.schema, attribute.component), describing);
      return counted(attribute.many ? arrayOf(one) : schemaOrNull(one), false, describing);
    }
    case 'zone':
      return attribute.components.length === 0
        ? arrayOf({}, { maxItems: 0 })
        : arrayOf(zone(attribute.components, describing));
  }
}

const zone = (uids: readonly string[], describing: Describing): JsonSchema =>
  oneOfNamed(
    '__component',
    new Map(
      uids.map((uid) => [uid, nameIn(zoneItem(existingComponent(describing.schema, uid), describing))]),
    ),
  );

export const fileType = (describing: Describing): ContentType => existingType(describing.schema, FILE_UID);

/** The target of a relation: one type, or any type for polymorphic ones. */
function related(target: string | null, model: Model, describing: Describing): JsonSchema {
  if (target !== null) return entry(existingType(describing.schema, target), describing);
  const types = polymorphicTargets(describing);
  return types.length === 0
    ? { not: {}, description: `No type that ${model.uid} may refer to is readable` }
    : oneOfNamed('__type', new Map(types.map((type) => [type.uid, nameIn(typedEntry(type, describing))])));
}

/** The types that a polymorphic relation may show to the caller. */
export const polymorphicTargets = ({ schema, form: { caller } }: Describing): readonly ContentType[] =>
  [...schema.contentTypes.values()].filter(
    ({ origin, uid }) => origin === 'api' && (caller.grants?.allows(`${uid}.find`) ?? true),
  );

function linked(one: JsonSchema, many: boolean, describing: Describing): JsonSchema {
  const value = many ? arrayOf(one) : schemaOrNull(one);
  return counted(describing.form.v4 ? objectOf({ data: value }) : value, true, describing);
}

/** `populate[…][count]=true` returns the number of entries instead. */
function counted(schema: JsonSchema, enveloped: boolean, { form, named }: Describing): JsonSchema {
  if (!form.counts) return schema;
  const count = named('Count', () => objectOf({ count: integerSchema }));
  return anyOf(schema, form.v4 && enveloped ? objectOf({ data: objectOf({ attributes: count }) }) : count);
}

/** Drafts may lack required values; entries of types without drafts do not. */
const isNullable = (model: Model, attribute: ScalarAttribute): boolean => {
  if (attribute.system) return attribute.name === 'locale' || attribute.name === 'publishedAt';
  return (
    !(attribute.required && model.modelType === 'contentType' && !model.draftAndPublish) || attribute.adopted
  );
};

/** The scalar fields of a built-in row, for routes that return a row they have just written. */
export const plainRow = (type: ContentType, describing: Describing): JsonSchema => {
  const shown = attributesFor(type, describing).filter(({ kind }) => kind === 'scalar');
  return objectOf(membersOf(type, shown, describing));
};
