import { instant } from './instant.js';
import type { Scalar } from './scalar.js';

/** Milliseconds since 1970 as text. */
const toEpoch = (value: unknown): string => String(value instanceof Date ? value.getTime() : value);

export const timestamp: Scalar = {
  ...instant,
  defaultWords: 'an ISO timestamp or milliseconds',
  show: () => toEpoch,
  described: {
    ...instant.described,
    answer: { type: 'string', pattern: '^-?\\d+$', description: 'Milliseconds since 1970' },
  },
};
