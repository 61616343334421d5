/** Parts of rules that several types share. An attribute that may be null takes null whatever its type. */
import type { PlainObject } from '../../values/plain-object.js';
import type { JudgedAttribute } from './scalar.js';

type ScalarRule = (attribute: JudgedAttribute, strict: boolean) => PlainObject;

export const only = (condition: boolean, rules: PlainObject): PlainObject => (condition ? rules : {});

export const isNullable: (attribute: JudgedAttribute, strict: boolean) => boolean = ({ required }, strict) =>
  !(strict && required);

/** Types whose null is refused by `required` alone, in other words than another type. */
export const notNil: ScalarRule = (attribute, strict) =>
  only(!isNullable(attribute, strict), { notNil: true });

/** Strapi's longest `string` where the schema says nothing, in UTF-16 code units. What other programs wrote has no such bound. */
const SHORT_TEXT = 255;

export const maxLengthOf = ({ type, maxLength, adopted }: JudgedAttribute): number | undefined =>
  maxLength ?? (type === 'string' && !adopted ? SHORT_TEXT : undefined);

/** Lengths and the attribute's own expression; an empty text passes that of an attribute that is not required. */
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
  finite: true,
  ...only(strict && attribute.min !== undefined, { minimum: Number(attribute.min) }),
  ...only(attribute.max !== undefined, { maximum: Number(attribute.max) }),
});
