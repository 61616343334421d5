import { byCast } from './instant.js';
import { type Cast, fits, misfit, type Scalar, UNFIT } from './scalar.js';

const FORM = /^((?:2[0-3]|[01]\d):[0-5]\d:[0-5]\d)(?:\.(\d{1,3}))?$/;
/** What is also accepted for a default: an hour of one digit, and no seconds. */
const LENIENT_FORM = /^(\d{1,2})(:[0-5]\d)(:.*)?$/;

/** Converts to `HH:mm:ss.SSS`, padding the fraction with zeros. */
function cast(value: unknown): Cast {
  const text = value instanceof Date ? value.toISOString().slice(11, 23) : value;
  if (typeof text !== 'string') return misfit('time-not-a-string', `Expected a string, got a ${typeof text}`);
  const [, time, fraction = ''] = FORM.exec(text) ?? [];
  return time === undefined
    ? misfit('time-malformed', 'Invalid time format, expected HH:mm:ss.SSS')
    : fits(`${time}.${fraction.padEnd(3, '0')}`);
}

export const time: Scalar = {
  stored: 'string',
  readDefault: (value) => {
    const [, hours = '', minutes, seconds = ':00'] = LENIENT_FORM.exec(String(value)) ?? [];
    const full = cast(`${hours.padStart(2, '0')}${minutes}${seconds}`);
    return 'value' in full ? full.value : UNFIT;
  },
  defaultWords: 'a time such as "08:30:00.000"',
  ...byCast(cast),
  described: {
    operand: 'Time',
    answer: { type: 'string', pattern: '^\\d{2}:\\d{2}:\\d{2}\\.\\d{3}$', examples: ['08:30:00.000'] },
    input: { type: 'string', pattern: FORM.source, examples: ['08:30:00.000'] },
    query: { type: 'string', pattern: FORM.source },
  },
};
