import { float } from './float.js';
import { numberRule } from './rules.js';
import { type Scalar, UNFIT } from './scalar.js';

export const integer: Scalar = {
  ...float,
  readDefault: (value, options) => {
    const number = float.readDefault(value, options);
    return Number.isInteger(number) ? number : UNFIT;
  },
  defaultWords: 'an integer',
  rule: (attribute, strict) => ({ ...numberRule(attribute, strict), whole: true }),
  described: { operand: 'Number', answer: { type: 'integer' }, query: { type: 'number' } },
};
