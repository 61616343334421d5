import { fail } from '../errors.js';
import { regexParts } from '../values/compare.js';
import { isRegex, makeRegex } from '../values/regex.js';
import { bsonTypeOf } from '../values/types.js';
import { isNullish, named, type Operator, type Operators } from './operator.js';

/** What `$regexFind` tells of one match. */
interface Found {
  readonly match: string;
  readonly idx: number;
  readonly captures: (string | null)[];
}

function checked(name: string, input: unknown, regex: unknown, options: unknown): RegExp | undefined {
  if (!isNullish(input) && typeof input !== 'string') {
    fail(51104, `${name} needs 'input' to be of type string`);
  }
  if (isNullish(regex)) return undefined;
  if (typeof regex !== 'string' && !isRegex(regex))
    fail(51105, `${name} needs 'regex' to be of type string or regex`);
  if (!isNullish(options) && typeof options !== 'string')
    fail(51106, `${name} needs 'options' to be of type string`);
  const parts = typeof regex === 'string' ? { pattern: regex, options: '' } : regexParts(regex);
  if (parts.options !== '' && options) {
    fail(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
  }
  return makeRegex(parts.pattern, parts.options || String(options ?? ''), true);
}

function* findAll(input: string, regex: RegExp): Generator<Found> {
  let points = 0;
  let at = 0;
  for (const match of input.matchAll(regex)) {
    // Places are counted in code points.
    points += [...input.slice(at, match.index)].length;
    at = match.index;
    yield { match: match[0], idx: points, captures: match.slice(1).map((capture) => capture ?? null) };
  }
}

const ARGUMENTS = { required: ['input', 'regex'], optional: ['options'] };

function regexOperator(otherwise: unknown, compute: (input: string, regex: RegExp) => unknown): Operator {
  return named(ARGUMENTS, ({ input, regex, options }, name) => {
    const pattern = checked(name, input, regex, options);
    if (pattern === undefined || isNullish(input)) return structuredClone(otherwise);
    if (bsonTypeOf(input) !== 'string') return otherwise;
    pattern.lastIndex = 0;
    return compute(input, pattern);
  });
}

/** Operators with regular expressions. */
export const REGEX: Operators = {
  $regexMatch: regexOperator(false, (input, regex) => regex.test(input)),
  $regexFind: regexOperator(null, (input, regex) => findAll(input, regex).next().value ?? null),
  $regexFindAll: regexOperator([], (input, regex) => [...findAll(input, regex)]),
};
