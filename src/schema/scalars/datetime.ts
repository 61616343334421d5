import { instant } from './instant.js';
import type { Scalar } from './scalar.js';

const toIso = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

export const datetime: Scalar = {
  ...instant,
  defaultWords: 'an ISO timestamp',
  show: ({ textDates }) => (textDates ? toIso : undefined),
};
