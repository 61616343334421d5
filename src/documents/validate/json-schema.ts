/** A model as JSON Schema: what `ajv` compiles, once per model and mode (rules E.3, E.4). */
import { scalarOf } from '../../schema/scalars/index.js';
import type { Attribute, Component, Model, ScalarAttribute, Schema } from '../../schema/types.js';

export type JsonSchema = Readonly<Record<string, unknown>>;
/** Drafts may be unfinished; what is published, or has no drafts, may not. */
export type Mode = 'draft' | 'published';

interface SchemaOptions {
  readonly mode: Mode;
  /** `documents.strictRelations`: `required` holds for relations and media too. */
  readonly strictRelations: boolean;
}

/** `rule` holds where `condition` does. Said with `else`, since an object with a key `then` passes for a promise. */
export const ifThen = (condition: JsonSchema, rule: JsonSchema): JsonSchema => ({
  if: { not: condition },
  else: rule,
});

const componentId = (uid: string, mode: Mode): string => `mangrove:/${mode}/${uid}`;

/** An item as it is: with an id it changes a stored one, so that what it leaves out is there already. */
const itemSchema = (uid: string, mode: Mode): JsonSchema => ({ $ref: componentId(uid, mode) });

/** A minimum does not apply to an empty list of an attribute that is not required. */
const counts = (attribute: Attribute & { min?: number; max?: number }, strict: boolean): JsonSchema => ({
  ...(strict && attribute.min !== undefined && attribute.min > 0
    ? attribute.required
      ? { minItems: attribute.min }
      : { minItemsOrNone: attribute.min }
    : {}),
  ...(strict && attribute.max !== undefined ? { maxItems: attribute.max } : {}),
});

const zoneItem = (components: readonly string[], schema: Schema, mode: Mode): JsonSchema => {
  const known = [...schema.components.keys()];
  return {
    type: 'object',
    required: ['__component'],
    messages: { required: '{field} is a required field' },
    properties: { __component: { knownComponent: known, listedComponent: { known, listed: components } } },
    allOf: components.map((uid) =>
      ifThen(
        { properties: { __component: { const: uid } }, required: ['__component'] },
        itemSchema(uid, mode),
      ),
    ),
  };
};

/** A list of scalars in an adopted collection; each is held to the rule of one. */
const listRule = (attribute: ScalarAttribute, strict: boolean): JsonSchema => ({
  type: attribute.required && strict ? 'array' : ['array', 'null'],
  items: scalarOf(attribute.type).rule({ ...attribute, required: true }, strict),
});

const attributeSchema = (attribute: Attribute, schema: Schema, options: SchemaOptions): JsonSchema => {
  const { mode, strictRelations } = options;
  const strict = mode === 'published';
  switch (attribute.kind) {
    case 'scalar':
      return attribute.list ? listRule(attribute, strict) : scalarOf(attribute.type).rule(attribute, strict);
    case 'relation':
    case 'media':
      return strict && strictRelations && attribute.required ? { notNil: true } : {};
    case 'component': {
      const item = itemSchema(attribute.component, mode);
      if (attribute.many) return { type: 'array', items: item, ...counts(attribute, strict) };
      return strict && attribute.required
        ? item
        : { type: ['object', 'null'], ...ifThen({ type: 'object' }, item) };
    }
    case 'zone':
      return {
        type: 'array',
        items: zoneItem(attribute.components, schema, mode),
        ...counts(attribute, strict),
      };
  }
};

const ownAttributes = (model: Model): Attribute[] =>
  [...model.attributes.values()].filter((attribute) => !attribute.system);

const mustBeGiven = (attribute: Attribute, options: SchemaOptions): boolean =>
  options.mode === 'published' &&
  attribute.required &&
  (options.strictRelations || (attribute.kind !== 'relation' && attribute.kind !== 'media'));

/** `type: object` with a sub-schema for each own attribute, and nothing said of what must be given. */
const partialSchema = (model: Model, schema: Schema, options: SchemaOptions): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    ownAttributes(model).map((attribute) => [attribute.name, attributeSchema(attribute, schema, options)]),
  ),
});

const requiredNames = (model: Model, options: SchemaOptions): string[] =>
  ownAttributes(model)
    .filter((attribute) => mustBeGiven(attribute, options))
    .map((attribute) => attribute.name);

/** A content type; `partial`: an update, which leaves out what stays as it is. */
export const modelSchema = (
  model: Model,
  schema: Schema,
  options: SchemaOptions & { readonly partial: boolean },
): JsonSchema => ({
  ...partialSchema(model, schema, options),
  ...(options.partial ? {} : { required: requiredNames(model, options) }),
});

/** A component, under the id that references to it use. */
export const componentSchema = (
  component: Component,
  schema: Schema,
  options: SchemaOptions,
): JsonSchema => ({
  $id: componentId(component.uid, options.mode),
  ...partialSchema(component, schema, options),
  ...ifThen({ not: { required: ['id'] } }, { required: requiredNames(component, options) }),
});
