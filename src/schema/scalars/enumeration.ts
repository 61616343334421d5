import { isNullable } from './rules.js';
import { type Scalar, UNFIT } from './scalar.js';
import { string } from './string.js';

export const enumeration: Scalar = {
  ...string,
  neverUnique: true,
  options: {
    enum: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, uniqueItems: true },
    enumName: { type: 'string' },
  },
  requiredOptions: ['enum'],
  readDefault: (value, options) => (options.includes(String(value)) ? value : UNFIT),
  defaultWords: 'one of "enum"',
  fromBody: (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  rule: (attribute, strict) => ({
    type: isNullable(attribute, strict) ? ['string', 'null'] : 'string',
    enum: [...(attribute.enum ?? []), null],
  }),
};
