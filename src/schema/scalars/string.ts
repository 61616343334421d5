import { textRule } from './rules.js';
import { fits, type Scalar, UNFIT } from './scalar.js';

const count = { type: 'integer', minimum: 0 };

export const string: Scalar = {
  stored: 'string',
  isText: true,
  options: { minLength: count, maxLength: count, regex: { type: 'string' } },
  readDefault: (value) => (typeof value === 'string' ? value : UNFIT),
  defaultWords: 'a string',
  fromQuery: (value) => fits(value instanceof Date ? value.toISOString() : String(value)),
  rule: textRule,
  answerType: 'string',
  described: { operand: 'Text', answer: { type: 'string' }, query: { type: 'string' } },
};
