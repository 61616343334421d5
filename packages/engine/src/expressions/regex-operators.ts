import { fail } from '../errors.js';
import { regexParts } from '../values/compare.js';
import { regexHold } from '../values/hold.js';
import { isRegex, type Match, MatchLimit, makeRegex, type Pattern } from '../values/regex.js';
import { isNullish } from '../values/types.js';
import { tick } from '../values/work.js';
import { argument, aString } from './argument.js';
import { type Members, named, type Operator, type Operators } from './operator.js';

/** What `$regexFind` returns for one match. */
interface Found {
  readonly match: string;
  readonly idx: number;
  readonly captures: (string | null)[];
}

function patternOf(name: string, regex: unknown, options: unknown): Pattern | undefined {
  if (typeof options === 'string' && options.includes('\0'))
    fail(51110, `${name}: regular expression options string cannot contain an embedded null byte`);
  if (isNullish(regex)) return undefined;
  const parts = typeof regex === 'string' ? { pattern: regex, options: '' } : regexParts(regex);
  if (parts.options !== '' && !isNullish(options)) {
    fail(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
  }
  if (parts.pattern.includes('\0'))
    fail(51109, `${name}: regular expression cannot contain an embedded null byte`);
  return makeRegex(parts.pattern, parts.options || String(options ?? ''), 51111);
}

function find(name: string, input: string, regex: Pattern, from = 0): Match | undefined {
  try {
    return regex.find(input, from);
  } catch (error) {
    if (error instanceof MatchLimit)
      return fail(51156, `Error occurred while executing the regular expression in ${name}. Result code: -8`);
    throw error;
  }
}

function* findAll(name: string, input: string, regex: Pattern): Generator<Found> {
  let points = 0;
  let counted = 0;
  let from = 0;
  for (let match = find(name, input, regex); match !== undefined; match = find(name, input, regex, from)) {
    tick();
    // Positions are counted in code points.
    points += [...input.slice(counted, match.from)].length;
    counted = match.from;
    yield {
      match: input.slice(match.from, match.to),
      idx: points,
      captures: match.groups.map(([start, end]) => (start < 0 ? null : input.slice(start, end))),
    };
    from =
      match.to > match.from ? match.to : match.to + ((input.codePointAt(match.to) ?? 0) > 0xffff ? 2 : 1);
    // There is no further match at the very end.
    if (from >= input.length) return;
  }
}

const ARGUMENTS: Members = {
  object: 51103,
  unknown: 31024,
  required: ['input', 'regex'],
  missing: [31022, 31023],
  optional: ['options'],
  types: {
    input: aString(51104, "$op needs 'input' to be of type string"),
    regex: argument((value): value is unknown => typeof value === 'string' || isRegex(value))(
      51105,
      "$op needs 'regex' to be of type string or regex",
    ),
    options: aString(51106, "$op needs 'options' to be of type string"),
  },
};

function regexOperator(
  otherwise: () => unknown,
  compute: (name: string, input: string, regex: Pattern) => unknown,
): Operator {
  return named(ARGUMENTS, ({ input, regex, options }, name) => {
    const pattern = patternOf(name, regex, options);
    return pattern === undefined || isNullish(input) ? otherwise() : compute(name, input, pattern);
  });
}

/** Operators with regular expressions. */
export const REGEX_OPERATORS: Operators = {
  $regexMatch: regexOperator(
    () => false,
    (name, input, regex) => find(name, input, regex) !== undefined,
  ),
  $regexFind: regexOperator(
    () => null,
    (name, input, regex) => findAll(name, input, regex).next().value ?? null,
  ),
  $regexFindAll: regexOperator(
    () => [],
    (name, input, regex) => {
      const hold = regexHold();
      const all: Found[] = [];
      for (const found of findAll(name, input, regex)) {
        hold.add(found);
        all.push(found);
      }
      return all;
    },
  ),
};
