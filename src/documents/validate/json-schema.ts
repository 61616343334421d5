/** A model as JSON Schema, which `ajv` compiles once per model and mode. */
import { scalarOf } from '../../schema/scalars/index.js';
import type { Attribute, Component, Model, ScalarAttribute, Schema } from '../../schema/types.js';

export type AjvSchema = Readonly<Record<string, unknown>>;
/** Drafts may be incomplete; published entries and those of types without drafts may not. */
export type ValidationMode = 'draft' | 'published';

/** Which rules apply: of drafts or published entries, to a whole body or to an update, which may omit attributes. */
export interface Variant {
  readonly mode: ValidationMode;
  readonly partial: boolean;
}

interface SchemaOptions extends Variant {
  /** `documents.strictRelations`: `required` also applies to relations and media. */
  readonly strictRelations: boolean;
}

/**
 * `rule` applies if `condition` does. Written with `else` because an object with a key `then` looks like a
 * promise.
 */
export const ifThen = (condition: AjvSchema, rule: AjvSchema): AjvSchema => ({
  if: { not: condition },
  else: rule,
});

const componentId = (uid: string, { mode, partial }: Variant): string =>
  `mangrove:/${mode}/${partial ? 'partial' : 'whole'}/${uid}`;

const itemSchema = (uid: string, variant: Variant): AjvSchema => ({ $ref: componentId(uid, variant) });

/** A minimum does not apply to an empty list of an optional attribute. */
const counts = (attribute: Attribute & { min?: number; max?: number }, strict: boolean): AjvSchema => ({
  ...(strict && attribute.min !== undefined && attribute.min > 0
    ? attribute.required
      ? { minItems: attribute.min }
      : { minItemsOrNone: attribute.min }
    : {}),
  ...(strict && attribute.max !== undefined ? { maxItems: attribute.max } : {}),
});

const zoneItem = (components: readonly string[], schema: Schema, variant: Variant): AjvSchema => {
  const known = [...schema.components.keys()];
  return {
    type: 'object',
    required: ['__component'],
    messages: { required: '{field} is a required field' },
    properties: { __component: { knownComponent: known, listedComponent: { known, listed: components } } },
    allOf: components.map((uid) =>
      ifThen(
        { properties: { __component: { const: uid } }, required: ['__component'] },
        itemSchema(uid, variant),
      ),
    ),
  };
};

/** A list of scalars in an adopted collection; the rule of the scalar applies to each. */
const listRule = (attribute: ScalarAttribute, strict: boolean): AjvSchema => ({
  type: attribute.required && strict ? 'array' : ['array', 'null'],
  items: scalarOf(attribute.type).rule({ ...attribute, required: true }, strict),
});

const attributeSchema = (attribute: Attribute, schema: Schema, options: SchemaOptions): AjvSchema => {
  const { mode, strictRelations } = options;
  const strict = mode === 'published';
  switch (attribute.kind) {
    case 'scalar':
      return attribute.list ? listRule(attribute, strict) : scalarOf(attribute.type).rule(attribute, strict);
    case 'relation':
    case 'media':
      return strict && strictRelations && attribute.required ? { notNil: true } : {};
    case 'component': {
      const item = itemSchema(attribute.component, options);
      if (attribute.many) return { type: 'array', items: item, ...counts(attribute, strict) };
      return strict && attribute.required
        ? item
        : { type: ['object', 'null'], ...ifThen({ type: 'object' }, item) };
    }
    case 'zone':
      return {
        type: 'array',
        items: zoneItem(attribute.components, schema, options),
        ...counts(attribute, strict),
      };
  }
};

const ownAttributes = (model: Model): Attribute[] =>
  [...model.attributes.values()].filter((attribute) => !attribute.system);

/** As in Strapi, a required list of items is required of a draft, too, where it may be empty. */
const mustBeGiven = (attribute: Attribute, { mode, strictRelations }: SchemaOptions): boolean => {
  if (!attribute.required) return false;
  if (attribute.kind === 'zone' || (attribute.kind === 'component' && attribute.many)) return true;
  return (
    mode === 'published' && (strictRelations || (attribute.kind !== 'relation' && attribute.kind !== 'media'))
  );
};

/** `type: object` with a subschema for each non-system attribute, and nothing required. */
const partialSchema = (model: Model, schema: Schema, options: SchemaOptions): AjvSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    ownAttributes(model).map((attribute) => [attribute.name, attributeSchema(attribute, schema, options)]),
  ),
});

const requiredNames = (model: Model, options: SchemaOptions): string[] =>
  ownAttributes(model)
    .filter((attribute) => mustBeGiven(attribute, options))
    .map((attribute) => attribute.name);

/** A content type. */
export const modelSchema = (model: Model, schema: Schema, options: SchemaOptions): AjvSchema => ({
  ...partialSchema(model, schema, options),
  ...(options.partial ? {} : { required: requiredNames(model, options) }),
});

/**
 * A component, under the id by which references find it. An item with an id is a stored one, so it may omit attributes
 * too.
 */
export const componentItemSchema = (
  component: Component,
  schema: Schema,
  options: SchemaOptions,
): AjvSchema => ({
  $id: componentId(component.uid, options),
  ...partialSchema(component, schema, options),
  ...(options.partial
    ? {}
    : ifThen({ not: { required: ['id'] } }, { required: requiredNames(component, options) })),
});
