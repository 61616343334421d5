import { parseInstant } from '../../values/instant.js';
import { byCast } from './instant.js';
import { type Cast, fits, misfit, type Scalar, UNFIT } from './scalar.js';

const PREFIX = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])/;

/** Converts to `yyyy-MM-dd`; takes the beginning of a longer timestamp. */
function cast(value: unknown): Cast {
  const text = value instanceof Date && !Number.isNaN(value.getTime()) ? value.toISOString() : value;
  const [day] = typeof text === 'string' ? (PREFIX.exec(text) ?? []) : [];
  if (day === undefined) return misfit('date-malformed', 'Invalid format, expected yyyy-MM-dd');
  return parseInstant(day) === null ? misfit('date-nonexistent', 'Invalid date') : fits(day);
}

export const date: Scalar = {
  stored: 'string',
  readDefault: (value) => ('value' in cast(value) ? value : UNFIT),
  defaultWords: 'a date such as "2024-01-31"',
  ...byCast(cast),
  inputType: 'string | Date',
  described: {
    operand: 'Date',
    answer: { type: 'string', format: 'date' },
    input: { type: 'string', pattern: PREFIX.source, examples: ['2024-01-31'] },
    query: { type: 'string', pattern: PREFIX.source },
  },
};
