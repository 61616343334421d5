import type { BSONRegExp } from 'bson';
import { bsonTypeOf, type Limits } from '../values/index.js';

const LITERAL = /^\^((?:[\p{L}\p{N} _\-/@:,;'"#%&=~<>]|\\[^\p{L}\p{N}])+)/u;

function parts(pattern: unknown, options: unknown): { source: string; flags: string } | undefined {
  if (bsonTypeOf(pattern) === 'regex') {
    if (pattern instanceof RegExp) return { source: pattern.source, flags: pattern.flags };
    const regex = pattern as BSONRegExp;
    return { source: regex.pattern, flags: typeof options === 'string' ? options : regex.options };
  }
  if (typeof pattern !== 'string') return undefined;
  return { source: pattern, flags: typeof options === 'string' ? options : '' };
}

/** The span of strings that an anchored, case-sensitive pattern can match, and whether it matches all of them. */
interface Prefix {
  readonly limits: Limits;
  readonly exact: boolean;
}

/** The first string after all those with a prefix. */
function behind(text: string): string {
  const points = [...text];
  const last = points.pop()?.codePointAt(0) ?? 0;
  // The range of surrogates, which are not characters.
  return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1);
}

/** Undefined if a pattern has no such span. */
export function prefixOfRegex(pattern: unknown, options: unknown): Prefix | undefined {
  const found = parts(pattern, options);
  if (found === undefined || /[imx]/.test(found.flags) || found.source.includes('|')) return undefined;
  const match = LITERAL.exec(found.source);
  if (match === null) return undefined;
  const rest = found.source.slice(match[0].length);
  let text = (match[1] as string).replace(/\\(.)/gsu, '$1');
  // The last character may be optional: /^abc*/.
  if (/^[*?{]/.test(rest)) text = [...text].slice(0, -1).join('');
  if (text === '' || text.endsWith('\u{10ffff}')) return undefined;
  return { limits: { gte: text, lt: behind(text) }, exact: rest === '' };
}
