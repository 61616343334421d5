/** What all date and time types share, and the definition of `datetime` and `timestamp`. */

import { errors } from '../../errors.js';
import { asText } from '../../values/as-text.js';
import { parseInstant } from '../../values/instant.js';
import { notNil } from './rules.js';
import { type Cast, fits, misfit, type Scalar, UNFIT } from './scalar.js';

/** A type whose values are converted by a cast with Strapi's messages, in queries and in bodies. */
export const byCast = (cast: (value: unknown) => Cast) =>
  ({
    fromQuery: cast,
    refusesAsStrapi: true,
    rule: notNil,
    store: (value) => {
      const result = cast(value);
      if ('message' in result) throw errors.validation(result.code, result.message);
      return result.value;
    },
    answerType: 'string',
  }) satisfies Partial<Scalar>;

/** Reads an instant from ISO 8601 (in UTC if there is no zone) or from milliseconds since 1970. */
function cast(value: unknown): Cast {
  const instant = value instanceof Date ? value : parseInstant(asText(value));
  return instant === null || Number.isNaN(instant.getTime())
    ? misfit('datetime-malformed', 'Invalid format, expected a timestamp or an ISO date')
    : fits(instant);
}

const isInstant = (value: string | number): boolean => !Number.isNaN(new Date(value).getTime());

export const instant = {
  stored: 'date',
  readDefault: (value) => {
    if (typeof value === 'number') return isInstant(value) ? value : UNFIT;
    return typeof value === 'string' && /^\d{4}(?:$|-)/.test(value) && isInstant(value) ? value : UNFIT;
  },
  ...byCast(cast),
  inputType: 'string | number | Date',
  described: {
    operand: 'DateTime',
    answer: { type: 'string', format: 'date-time' },
    input: {
      type: ['string', 'integer'],
      format: 'date-time',
      description: 'ISO 8601, or milliseconds since 1970',
    },
    query: { type: ['string', 'integer'] },
  },
} satisfies Partial<Scalar>;
