import type { Scalar } from './scalar.js';
import { string } from './string.js';

export const richtext: Scalar = {
  ...string,
  described: { ...string.described, answer: { type: 'string', description: 'Markdown' } },
};
