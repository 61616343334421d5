import { fail } from '../errors.js';
import { regexParts } from './compare.js';
import { bsonTag } from './types.js';

/** Whether a value is a regular expression in either representation. */
export const isRegex = (value: unknown): boolean =>
  value instanceof RegExp || (typeof value === 'object' && value !== null && bsonTag(value) === 'BSONRegExp');

const POSIX: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '\\d',
  alnum: '\\p{L}\\d',
  space: '\\s',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  punct: '!-\\/:-@\\[-`{-~',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** What PCRE writes and JavaScript does not: anchors, classes in words, possessive and atomic forms. */
const TRANSLATIONS: readonly [RegExp, string][] = [
  [/\\A/g, '^'],
  [/\\[Zz]/g, '$'],
  [/\\h/g, '[ \\t]'],
  [/\(\?P</g, '(?<'],
  [/\(\?#[^)]*\)/g, ''],
];

/** The `x` option: white space and comments outside of classes do not count. */
function stripExtended(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]])*\]|\s+|#[^\n]*/gs, (part) => (/^[\s#]/.test(part) ? '' : part));
}

function translate(pattern: string, options: string): string {
  let source = options.includes('x') ? stripExtended(pattern) : pattern;
  for (const [from, to] of TRANSLATIONS) source = source.replace(from, to);
  return source.replace(/\[:(\w+):\]/g, (whole, name: string) => POSIX[name] ?? whole);
}

const cache = new Map<string, RegExp>();

function compile(pattern: string, options: string, global: boolean): RegExp {
  const inline = /^\(\?([imsx]+)\)/.exec(pattern);
  const all = options + (inline?.[1] ?? '');
  const source = translate(inline ? pattern.slice(inline[0].length) : pattern, all);
  const flags = [...new Set(all)].filter((flag) => 'ims'.includes(flag)).join('') + (global ? 'g' : '');
  for (const unicode of ['u', '']) {
    try {
      return new RegExp(source, flags + unicode);
    } catch {
      // Without `u` JavaScript takes needless escapes, as PCRE does.
    }
  }
  return fail(51091, `Regular expression is invalid: ${pattern}`);
}

/**
 * JavaScript's form of a PCRE pattern with MongoDB's options `i`, `m`, `s`, `x`.
 * @throws BadValue for another option, 51091 for a pattern that is none.
 */
export function makeRegex(pattern: string, options = '', global = false): RegExp {
  if (/[^imsxu]/.test(options)) fail(51108, `invalid flag in regex options: ${options}`);
  if (pattern.includes('\0')) fail(51109, 'Regular expression cannot contain an embedded null byte');
  const id = `${global ? 'g' : ''}/${options}/${pattern}`;
  let regex = cache.get(id);
  if (regex === undefined) {
    regex = compile(pattern, options, global);
    if (cache.size > 1000) cache.clear();
    cache.set(id, regex);
  }
  return regex;
}

/** JavaScript's form of a regular expression value. */
export function regexOf(value: unknown, options?: string): RegExp {
  const parts = regexParts(value);
  return makeRegex(parts.pattern, options ?? parts.options);
}
