import { only, textRule } from './rules.js';
import type { Scalar } from './scalar.js';
import { string } from './string.js';

export const email: Scalar = {
  ...string,
  rule: (attribute, strict) => ({
    ...textRule(attribute, strict),
    ...only(strict, { email: true, notEmpty: true }),
  }),
  described: { ...string.described, answer: { type: 'string', format: 'email' } },
};
