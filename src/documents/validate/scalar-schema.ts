/** What each scalar type asks of a value that has been cast (rules E.3, E.4), for drafts and for what is published. */
import type { ScalarAttribute, ScalarType } from '../../schema/types.js';
import { blocksDefinitions } from './blocks-schema.js';
import type { JsonSchema, Mode } from './json-schema.js';

type Rule = (attribute: ScalarAttribute, strict: boolean) => JsonSchema;

const uidPattern = /^[A-Za-z0-9-_.~]*$/;
/** bcrypt reads no more of a password. */
const passwordBytes = 72;
/** What is stored is a hash: its length says nothing of the password. */
const passwordHash = '^\\$2[abxy]\\$\\d\\d\\$.{53}$';

const only = (condition: boolean, rules: JsonSchema): JsonSchema => (condition ? rules : {});

const lengths = (attribute: ScalarAttribute, strict: boolean): JsonSchema => ({
  ...only(strict && attribute.minLength !== undefined, { minLength: attribute.minLength }),
  ...only(attribute.maxLength !== undefined, { maxLength: attribute.maxLength }),
});

/** An empty text passes the pattern of an attribute that is not required. */
const pattern = (attribute: ScalarAttribute, strict: boolean): JsonSchema =>
  only(strict && attribute.regex !== undefined, {
    [attribute.required ? 'matches' : 'matchesOrEmpty']: attribute.regex,
  });

const nullable = (attribute: ScalarAttribute, strict: boolean): boolean => !(strict && attribute.required);

const text: Rule = (attribute, strict) => ({
  type: nullable(attribute, strict) ? ['string', 'null'] : 'string',
  ...lengths(attribute, strict),
  ...pattern(attribute, strict),
});

const number: Rule = (attribute, strict) => ({
  numeric: nullable(attribute, strict) ? 'nullable' : 'required',
  finite: true,
  ...only(strict && attribute.min !== undefined, { minimum: Number(attribute.min) }),
  ...only(attribute.max !== undefined, { maximum: Number(attribute.max) }),
});

/** Types whose null is refused by `required` alone, in other words than a wrong type. */
const anything: Rule = (attribute, strict) => only(!nullable(attribute, strict), { notNil: true });

const rules: Readonly<Record<ScalarType, Rule>> = {
  string: text,
  text,
  richtext: text,
  uid: (attribute, strict) => ({
    ...text(attribute, strict),
    ...only(strict && !attribute.regex, { matches: uidPattern }),
  }),
  email: (attribute, strict) => ({
    ...text(attribute, strict),
    ...only(strict, { email: true, notEmpty: true }),
  }),
  password: (attribute, strict) => {
    const { type, ...limits } = text(attribute, strict);
    return {
      type,
      if: { type: 'string', pattern: passwordHash },
      else: { ...limits, maxBytes: passwordBytes },
    };
  },
  enumeration: (attribute, strict) => ({
    type: nullable(attribute, strict) ? ['string', 'null'] : 'string',
    enum: [...(attribute.enum ?? []), null],
  }),
  integer: (attribute, strict) => ({ ...number(attribute, strict), whole: true }),
  float: number,
  decimal: number,
  biginteger: (attribute, strict) => ({ ...anything(attribute, strict), biginteger: true }),
  boolean: (attribute, strict) => ({ ...anything(attribute, strict), type: ['boolean', 'null'] }),
  json: (attribute, strict) => ({ ...anything(attribute, strict), json: true }),
  date: anything,
  time: anything,
  datetime: anything,
  timestamp: anything,
  blocks: (attribute, strict) => ({
    type: nullable(attribute, strict) ? ['array', 'null'] : 'array',
    json: true,
    items: { $ref: 'mangrove:/blocks#/definitions/block' },
  }),
};

/** The sub-schema of one scalar attribute. */
export const scalarSchema = (attribute: ScalarAttribute, mode: Mode): JsonSchema =>
  rules[attribute.type](attribute, mode === 'published');

/** Registered once under this id; attributes of type `blocks` refer to it. */
export const blocksSchema: JsonSchema = { $id: 'mangrove:/blocks', definitions: blocksDefinitions };
