import { only, textRule } from './rules.js';
import type { Scalar } from './scalar.js';
import { string } from './string.js';

/** Strapi's pattern; a `regex` of the attribute replaces it. */
export const UID_PATTERN = /^[A-Za-z0-9-_.~]*$/;

export const uid: Scalar = {
  ...string,
  options: {
    ...string.options,
    maxLength: { type: 'integer', minimum: 0, maximum: 256 },
    targetField: { type: 'string', minLength: 1 },
    options: { type: 'object' },
  },
  rule: (attribute, strict) => ({
    ...textRule(attribute, strict),
    ...only(strict && !attribute.regex, { matches: UID_PATTERN }),
  }),
};
