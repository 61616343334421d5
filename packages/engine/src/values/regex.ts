import { fail } from '../errors.js';
import { characterOf } from './patterns/characters.js';
import { type Framed, framedOf, type Literal } from './patterns/literal.js';
import { compileMatcher } from './patterns/match-pattern.js';
import { parsePattern } from './patterns/parse-pattern.js';
import { printPattern } from './patterns/print-pattern.js';
import { type Match, MatchLimit } from './patterns/search.js';
import { weighPattern } from './patterns/weigh-pattern.js';
import { codeUnits, foldedUnits, NATIVE_STEPS, TextSearch } from './text-search.js';
import { bsonTag } from './types.js';
import { tickBy } from './work.js';

export { type Match, MatchLimit } from './patterns/search.js';

/** Whether a value is a regular expression in either representation. */
export const isRegex = (value: unknown): boolean =>
  value instanceof RegExp || (typeof value === 'object' && value !== null && bsonTag(value) === 'BSONRegExp');

/** A compiled pattern. */
export interface Pattern {
  /** Whether something in the text matches; also false if that takes more steps than a match may use. */
  test(text: string): boolean;
  /** The string to search for, if the pattern is just that string. */
  readonly literal: Literal | undefined;
  /** The first match from a position on. Throws `MatchLimit` if it takes too many steps. */
  find(text: string, from?: number): Match | undefined;
}

/** PCRE's limit, in bytes. */
const LONGEST = 32_764;
/** Settings that PCRE reads at the start of a pattern. */
const SETTING =
  /^\(\*(?:UTF8?|(UCP)|LIMIT_MATCH=(\d+)|LIMIT_RECURSION=\d+|NO_START_OPT|(CR)|LF|CRLF|ANYCRLF|ANY)\)/;

/** What the setting `UCP` makes of escapes: classes of Unicode properties. */
const BY_PROPERTY: Readonly<Record<string, string>> = {
  w: '\\p{L}\\p{N}_',
  d: '\\p{Nd}',
  s: '\\p{Z}\\t\\n\\x0b\\f\\r\\x85',
  word: '\\p{L}\\p{N}_',
  digit: '\\p{Nd}',
  space: '\\p{Z}\\t\\n\\x0b\\f\\r\\x85',
  alpha: '\\p{L}',
  alnum: '\\p{L}\\p{N}',
  lower: '\\p{Ll}',
  upper: '\\p{Lu}',
};
const CLASS_OR_ESCAPE = /\[\^?\]?(?:\\.|[^\]\\])*\]|\\./gs;

const byProperty = (source: string): string =>
  source.replace(CLASS_OR_ESCAPE, (found) => {
    if (found.startsWith('['))
      return found.replace(
        /\[:(\w+):\]|\\(.)/gs,
        (whole, name: string | undefined, letter: string | undefined) =>
          BY_PROPERTY[name ?? letter ?? ''] ?? whole,
      );
    const letter = found[1] as string;
    const small = BY_PROPERTY[letter.toLowerCase()];
    return small === undefined ? found : `[${letter === letter.toLowerCase() ? '' : '^'}${small}]`;
  });

/** A pattern without its settings, and the settings. */
interface Settings {
  readonly source: string;
  readonly limit: number | undefined;
  readonly flags: string;
}

function settingsOf(pattern: string): Settings {
  let source = pattern;
  let limit: number | undefined;
  let flags = '';
  let isUnicode = false;
  for (let found = SETTING.exec(source); found !== null; found = SETTING.exec(source)) {
    const [whole, unicode, steps, carriage] = found;
    if (steps !== undefined) limit = Number(steps);
    if (carriage !== undefined) flags = 'R';
    isUnicode ||= unicode !== undefined;
    source = source.slice(whole.length);
  }
  return { source: isUnicode ? byProperty(source) : source, limit, flags };
}

/** Searches for a string between positions, in linear time; returns where it begins, or -1. */
function framedSearch({
  text: wanted,
  ignoresCase,
  before,
  after,
}: Framed): (text: string, from: number) => number {
  const unitsOf = ignoresCase ? foldedUnits : codeUnits;
  const search = new TextSearch(unitsOf(wanted));
  const regexOf = (source: string): RegExp => new RegExp(source, ignoresCase ? 'iuy' : 'uy');
  const holds = (place: RegExp, text: string, at: number): boolean => {
    place.lastIndex = at;
    return place.test(text);
  };
  const starts = before.map(regexOf);
  const ends = after.map(regexOf);
  return (text, from) =>
    search.find(
      unitsOf(text),
      from,
      (at) =>
        starts.every((place) => holds(place, text, at)) &&
        ends.every((place) => holds(place, text, at + wanted.length)),
    );
}

function compile(pattern: string, options: string): Pattern {
  const { source, limit, flags: own } = settingsOf(pattern);
  const parsed = parsePattern(source, [...new Set(options)].join('') + own, characterOf);
  const flags = options.includes('i') ? 'iu' : 'u';
  const isNative = !parsed.foreign && parsed.names.size === 0 && limit === undefined;
  const native = new RegExp(isNative ? printPattern(parsed.root) : '', flags);
  const places = new RegExp(native.source, `${flags}dg`);
  const weigh = isNative ? weighPattern(parsed.root) : () => Number.POSITIVE_INFINITY;
  // The counting matcher is created when a string needs it.
  let counting: ReturnType<typeof compileMatcher> | undefined;
  const findCounting = (text: string, from: number, remembers = false): Match | undefined => {
    counting ??= compileMatcher(parsed, limit);
    return counting(text, from, remembers);
  };
  if (!isNative) findCounting('', 0);
  const framed = isNative ? framedOf(parsed.root, options.includes('i')) : undefined;
  let linear: ReturnType<typeof framedSearch> | undefined;
  const findFramed = (text: string, from: number, literal: Framed): Match | undefined => {
    linear ??= framedSearch(literal);
    const at = linear(text, from);
    return at < 0 ? undefined : { from: at, to: at + literal.text.length, groups: [] };
  };
  /** Whether JavaScript's matcher takes few steps, which then count. */
  const isQuick = (length: number): boolean => {
    const weight = weigh(length);
    if (weight > NATIVE_STEPS) return false;
    tickBy(weight);
    return true;
  };
  return {
    literal: framed?.before.length === 0 && framed.after.length === 0 ? framed : undefined,
    test(text) {
      if (isQuick(text.length)) return native.test(text);
      if (framed !== undefined) return findFramed(text, 0, framed) !== undefined;
      try {
        // Filters test many strings, and only for whether there is a match: no dead end is tried twice.
        return findCounting(text, 0, true) !== undefined;
      } catch (error) {
        if (error instanceof MatchLimit) return false;
        throw error;
      }
    },
    find(text, from = 0) {
      if (!isQuick(text.length)) return framed ? findFramed(text, from, framed) : findCounting(text, from);
      places.lastIndex = from;
      const match = places.exec(text);
      if (match === null) return undefined;
      const groups = (match.indices as RegExpIndicesArray)
        .slice(1)
        .map((ends) => ends ?? ([-1, -1] as const));
      return { from: match.index, to: match.index + match[0].length, groups: groups as Match['groups'] };
    },
  };
}

const cache = new Map<string, Pattern>();

/**
 * Compiles a PCRE pattern with MongoDB's options `i`, `m`, `s`, `x`. Throws 51108 for another option, BadValue for a null byte,
 * and `code` for a pattern that is invalid or too long.
 */
export function makeRegex(pattern: string, options = '', code = 51091): Pattern {
  if (/[^imsxu]/.test(options)) fail(51108, `invalid flag in regex options: ${options}`);
  if (pattern.includes('\0')) fail('BadValue', 'Regular expression cannot contain an embedded null byte');
  const id = `/${options}/${pattern}`;
  let regex = cache.get(id);
  if (regex === undefined) {
    if (Buffer.byteLength(pattern) > LONGEST)
      fail(code, 'Regular expression is invalid: regular expression is too large');
    try {
      regex = compile(pattern, options);
    } catch (error) {
      return fail(code, `Regular expression is invalid: ${(error as Error).message}`);
    }
    if (cache.size > 1000) cache.clear();
    cache.set(id, regex);
  }
  return regex;
}
