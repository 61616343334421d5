import { SCALARS } from '../scalars/index.js';
import { MEDIA_KINDS, RELATION_KINDS } from '../types.js';

/**
 * JSON Schema of the attributes in a schema file, with one branch per type. If a pattern does not match, the
 * error shows its `description`.
 */
const flag = { type: 'boolean' };
const name = { type: 'string', minLength: 1 };
const nameOrNull = { type: ['string', 'null'] };
const count = { type: 'integer', minimum: 0 };
const uid = {
  type: 'string',
  pattern: '^[a-z]+::[^.\\s]+(\\.[^.\\s]+)?$',
  description: 'a uid such as "api::article.article"',
};
export const COMPONENT_UID = /^[A-Za-z][-_0-9A-Za-z]*\.[-_0-9A-Za-z]+$/;
const componentUid = {
  type: 'string',
  pattern: COMPONENT_UID.source,
  description: 'a component such as "shared.seo"',
};

/** The options of plugins for an attribute or a type, with Mangrove's own among them. */
export const pluginOptions = (mangrove?: object) => ({
  type: 'object',
  properties: { i18n: { type: 'object', properties: { localized: flag } }, ...(mangrove && { mangrove }) },
});

const common = {
  required: flag,
  unique: flag,
  private: flag,
  configurable: flag,
  writable: flag,
  visible: flag,
  searchable: flag,
  conditions: { type: 'object' },
  pluginOptions: pluginOptions(),
};
const items = { min: count, max: count };

interface Branch {
  readonly own?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

const branches: Readonly<Record<string, Branch>> = {
  ...Object.fromEntries(
    Object.entries(SCALARS).map(([type, { options: own, requiredOptions: required }]) => [
      type,
      { ...(own && { own }), ...(required && { required }) },
    ]),
  ),
  media: {
    own: {
      multiple: flag,
      allowedTypes: { type: ['array', 'null'], items: { enum: MEDIA_KINDS } },
    },
  },
  relation: {
    own: {
      relation: {
        enum: RELATION_KINDS,
      },
      target: uid,
      inversedBy: nameOrNull,
      mappedBy: nameOrNull,
      morphBy: name,
      useJoinTable: flag,
    },
    required: ['relation'],
  },
  component: { own: { component: componentUid, repeatable: flag, ...items }, required: ['component'] },
  dynamiczone: {
    own: { components: { type: 'array', items: componentUid, uniqueItems: true }, ...items },
    required: ['components'],
  },
  customField: { own: { customField: uid, options: { type: 'object' } }, required: ['customField'] },
};

/** The attribute types that a schema file may use. */
export const ATTRIBUTE_TYPES: readonly string[] = Object.keys(branches);

/**
 * The known options of a type. Others do not become part of the model; Strapi plugins may leave theirs in the
 * files.
 */
export const optionsOf = (type: string): readonly string[] =>
  Object.hasOwn(branches, type)
    ? ['type', 'default', 'column', ...Object.keys(common), ...Object.keys(branches[type]?.own ?? {})]
    : [];

/** JSON Schema of one attribute. Other schemas refer to it, so that its validator is compiled once. */
export const attributeSchema = {
  $id: 'attribute',
  type: 'object',
  required: ['type'],
  properties: common,
  discriminator: { propertyName: 'type' },
  oneOf: Object.entries(branches).map(([type, branch]) => ({
    properties: { type: { const: type }, ...branch.own },
    required: ['type', ...(branch.required ?? [])],
  })),
};
