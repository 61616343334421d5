/**
 * Parts of validation rules that several types share. Unless an attribute is required, null is valid for
 * every type.
 */
import type { PlainObject } from '../../values/plain-object.js';
import type { JudgedAttribute } from './scalar.js';

type ScalarRule = (attribute: JudgedAttribute, strict: boolean) => PlainObject;

export const only = (condition: boolean, rules: PlainObject): PlainObject => (condition ? rules : {});

export const isNullable: (attribute: JudgedAttribute, strict: boolean) => boolean = ({ required }, strict) =>
  !(strict && required);

/** For types that report a required null with their own message. */
export const notNil: ScalarRule = (attribute, strict) =>
  only(!isNullable(attribute, strict), { notNil: true });

/**
 * Strapi's maximum length of a `string` if the schema sets none, in UTF-16 code units. Does not apply to
 * adopted collections.
 */
const SHORT_TEXT = 255;

export const maxLengthOf = ({ type, maxLength, adopted }: JudgedAttribute): number | undefined =>
  maxLength ?? (type === 'string' && !adopted ? SHORT_TEXT : undefined);

/** The lengths and the pattern of a text; an empty text is valid if the attribute is not required. */
export const textRule: ScalarRule = (attribute, strict) => ({
  type: isNullable(attribute, strict) ? ['string', 'null'] : 'string',
  ...only(strict && attribute.minLength !== undefined, { minLength: attribute.minLength }),
  ...only(maxLengthOf(attribute) !== undefined, { maxLength: maxLengthOf(attribute) }),
  ...only(strict && attribute.regex !== undefined, {
    [attribute.required ? 'matches' : 'matchesOrEmpty']: attribute.regex,
  }),
});

export const numberRule: ScalarRule = (attribute, strict) => ({
  numeric: isNullable(attribute, strict) ? 'nullable' : 'required',
  ...only(strict && attribute.min !== undefined, { minimum: Number(attribute.min) }),
  ...only(attribute.max !== undefined, { maximum: Number(attribute.max) }),
});
