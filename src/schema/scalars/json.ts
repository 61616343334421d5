import { parseJson } from '../../values/json.js';
import { showNumber } from './float.js';
import { notNil } from './rules.js';
import { fits, misfit, type Scalar } from './scalar.js';

/** Parses text that is JSON; other text stays text. */
export function readJson(value: unknown): unknown {
  const parsed = typeof value === 'string' ? parseJson(value) : null;
  return parsed ? parsed.value : value;
}

/** JSON stored by other programs may contain 64-bit numbers. */
function show(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(show);
  if ('_bsontype' in value) return showNumber(value);
  if (value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, show(item)]));
}

export const json: Scalar = {
  stored: 'json',
  neverUnique: true,
  readDefault: (value) => value,
  defaultWords: 'any value',
  fromQuery: (value) =>
    typeof value === 'string'
      ? (parseJson(value) ?? misfit('value-not-json', 'Expected JSON text'))
      : fits(value),
  fromBody: readJson,
  rule: (attribute, strict) => ({ ...notNil(attribute, strict), json: true }),
  show: () => show,
  answerType: 'unknown',
  described: { operand: 'Json', answer: { description: 'Any JSON' }, query: { type: 'string' } },
};
