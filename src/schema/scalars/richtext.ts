import type { Scalar } from './scalar.js';
import { string } from './string.js';

export const richtext: Scalar = string;
