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

/** The span of strings that an anchored, case-sensitive pattern can match, or undefined where there is none. */
export function prefixOfRegex(pattern: unknown, options: unknown): Limits | undefined {
  const found = parts(pattern, options);
  if (found === undefined || /[imx]/.test(found.flags) || found.source.includes('|')) return undefined;
  const match = LITERAL.exec(found.source);
  if (match === null) return undefined;
  const rest = found.source.slice(match[0].length);
  let text = (match[1] as string).replace(/\\(.)/gsu, '$1');
  // The last character may be optional: /^abc*/.
  if (/^[*?{]/.test(rest)) text = [...text].slice(0, -1).join('');
  if (text === '') return undefined;
  return { gte: text, lt: `${text}\u{10ffff}` };
}
