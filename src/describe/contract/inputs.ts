/** The bodies of writes. */
import { existingComponent } from '../../schema/find.js';
import type { Attribute, Component, ContentType, Model } from '../../schema/types.js';
import type { Describing } from './describing.js';
import { polymorphicTargets } from './entries.js';
import {
  anyOf,
  arrayOf,
  exactly,
  idOrText,
  nameIn,
  objectOf,
  oneOfNamed,
  schemaOrNull,
  withMembers,
} from './json-schema.js';
import { relationInput } from './relation-input.js';
import { scalarInput } from './scalars.js';
import type { JsonSchema, Schemas } from './types.js';

export type WriteKind = 'create' | 'update';

/**
 * The `data` of a create or update. An update contains what changes; a component item with the `id` of a
 * stored one updates it.
 */
export const input = (type: ContentType, writing: WriteKind, describing: Describing): JsonSchema => {
  const ruled = ruledInput(type, writing, describing);
  const how = { writing, partial: writing === 'update', ...(ruled && { ruled }) };
  return describing.ofModel(type, SUFFIX[writing], () => inputSchema(type, {}, how, describing));
};

const SUFFIX: Readonly<Record<WriteKind, string>> = { create: 'Input', update: 'Update' };

interface How {
  readonly writing: WriteKind;
  /** Missing attributes are kept, so nothing is required. */
  readonly partial: boolean;
  /** Absent: any attribute may be sent. */
  readonly ruled?: RuledInput;
}

/** What the rules of a caller make of a body. */
interface RuledInput {
  /** Whether a body may have an attribute. */
  allows(name: string): boolean;
  /** The attributes that are stored whatever is sent. */
  readonly set: ReadonlySet<string>;
}

/** Null if the action has no rules for the caller. Of several rules, each allows some of the attributes. */
function ruledInput({ uid }: ContentType, writing: WriteKind, { form }: Describing): RuledInput | null {
  const rules = form.caller.grants?.rulesOf?.(`${uid}.${writing}`) ?? null;
  if (rules === null) return null;
  const set = new Set(rules.flatMap((rule) => Object.keys(rule.set)));
  return {
    allows: (name) => set.has(name) || rules.some(({ write }) => write === null || write.has(name)),
    set,
  };
}

/** Accepted, because clients send back what they received. */
const SET_BY_RULE: JsonSchema = { deprecated: true, description: 'Without effect: set by the server' };

function inputSchema(model: Model, marks: Schemas, how: How, describing: Describing): JsonSchema {
  const { ruled } = how;
  const isAllowed = ({ name }: Attribute): boolean => ruled?.allows(name) ?? true;
  const isSet = ({ name }: Attribute): boolean => ruled?.set.has(name) ?? false;
  const attributes = writableOf(model, describing).filter(isAllowed);
  const properties = {
    ...Object.fromEntries(
      attributes.map((attribute) => [
        attribute.name,
        isSet(attribute) ? SET_BY_RULE : attributeInput(model, attribute, how, describing),
      ]),
    ),
    ...(model.modelType === 'contentType' ? WITHOUT_EFFECT : {}),
    ...marks,
  };
  const required =
    how.partial || describing.form.drafts
      ? []
      : attributes.filter((one) => !isSet(one) && mustBeGiven(one, describing));
  const hidden = [...model.attributes.values()].some(
    (attribute) => isWritable(attribute) && isAllowed(attribute) && !attributes.includes(attribute),
  );
  const { additionalProperties, ...schema } = objectOf(properties, [
    ...required.map(({ name }) => name),
    ...Object.keys(marks).filter((name) => name !== 'id' || how.partial),
  ]);
  // Attributes hidden from the caller can still be written, so other properties are not declared invalid.
  return hidden ? schema : { ...schema, additionalProperties };
}

/** The attributes in a body of a type whose routes have rules of their own. */
export const attributesInput = (type: ContentType, describing: Describing): Schemas =>
  Object.fromEntries(
    writableOf(type, describing).map((attribute) => [
      attribute.name,
      attributeInput(type, attribute, { writing: 'update', partial: true }, describing),
    ]),
  );

/** Accepted because clients send back what they received; the locale is given by the query. */
const WITHOUT_EFFECT: Schemas = {
  locale: { type: ['string', 'null'], deprecated: true, description: 'Without effect: set by a parameter' },
  publishedAt: { type: ['string', 'null'], deprecated: true, description: 'Without effect' },
};

const isWritable = ({ system, writable }: Attribute): boolean => writable && !system;

/**
 * The draft stores a hash, whose length says nothing, so publication does not apply the rules of a password.
 */
const isHashedFirst = (model: Model, attribute: Attribute): boolean =>
  isPassword(attribute) && (model.modelType === 'component' || model.draftAndPublish);

/** The attributes that the caller is told it can write. */
function writableOf(model: Model, { form }: Describing): readonly Attribute[] {
  const mayFind = (uid: string): boolean => form.caller.grants?.allows(`${uid}.find`) ?? true;
  return [...model.attributes.values()].filter((attribute) => {
    if (!isWritable(attribute)) return false;
    if (attribute.private && !form.privateInput && !isPassword(attribute)) return false;
    if (attribute.kind !== 'relation') return true;
    return attribute.target === null ? attribute.relation === 'morphToMany' : mayFind(attribute.target);
  });
}

const isPassword = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' && attribute.type === 'password';

/** For types with drafts, what publication requires. */
const mustBeGiven = (attribute: Attribute, { config }: Describing): boolean => {
  if (!attribute.required || attribute.visibleWhen !== null) return false;
  if (attribute.kind === 'relation' || attribute.kind === 'media') return config.documents.strictRelations;
  return attribute.kind !== 'scalar' || attribute.default === undefined;
};

function attributeInput(model: Model, attribute: Attribute, how: How, describing: Describing): JsonSchema {
  const strict = !describing.form.drafts;
  switch (attribute.kind) {
    case 'scalar':
      return scalarInput(
        { model, attribute },
        { strict: strict && !isHashedFirst(model, attribute), fresh: how.writing === 'create' },
        describing,
      );
    case 'relation': {
      const types = attribute.target === null ? polymorphicTargets(describing) : null;
      return relationInput(describing, types && { key: `${model.uid} ${attribute.name}`, types });
    }
    case 'media':
      return relationInput(describing, null);
    case 'component': {
      const component = existingComponent(describing.schema, attribute.component);
      const one = anyOf(...itemForms(component, how, describing));
      if (attribute.many) return arrayOf(one, counts(attribute, strict));
      return strict && attribute.required && attribute.visibleWhen === null ? one : schemaOrNull(one);
    }
    case 'zone':
      return arrayOf(zone(attribute.components, how, describing), counts(attribute, strict));
  }
}

/** A new item or, in an update, a stored one identified by its id. */
const itemForms = (component: Component, how: How, describing: Describing): readonly JsonSchema[] => {
  const id = { id: idOrText };
  const form = (writing: WriteKind): JsonSchema =>
    describing.ofModel(component, SUFFIX[writing], () =>
      inputSchema(component, id, { writing, partial: writing === 'update' }, describing),
    );
  const fresh = form('create');
  return how.writing === 'create' ? [fresh] : [form('update'), fresh];
};

function zone(uids: readonly string[], { writing }: How, describing: Describing): JsonSchema {
  const items = uids.map((uid) => {
    const component = existingComponent(describing.schema, uid);
    const make = () => zoneItem(component, writing, describing);
    return [uid, nameIn(describing.ofModel(component, `Item${SUFFIX[writing]}`, make))] as const;
  });
  return oneOfNamed('__component', new Map(items));
}

/** In an update an item with an id may omit unchanged attributes, so only the component is required. */
const zoneItem = (component: Component, writing: WriteKind, describing: Describing): JsonSchema => {
  const marks = { __component: exactly(component.uid) };
  const item = inputSchema(component, marks, { writing, partial: false }, describing);
  const withId = withMembers(item, { id: idOrText }, 'its own');
  return writing === 'update' ? { ...withId, required: Object.keys(marks) } : withId;
};

/** A minimum does not apply to an empty list of an optional attribute. */
const counts = (
  attribute: Attribute & { readonly min?: number; readonly max?: number },
  strict: boolean,
): JsonSchema => {
  const { min, max, required, visibleWhen } = attribute;
  if (!strict || visibleWhen !== null) return {};
  return {
    ...(min === undefined || min === 0
      ? {}
      : required
        ? { minItems: min }
        : { description: `At least ${min}, or none` }),
    ...(max === undefined ? {} : { maxItems: max }),
  };
};
