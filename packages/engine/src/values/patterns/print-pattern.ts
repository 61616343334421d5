import type { Part } from './syntax.js';

const count = (min: number, max: number): string => {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
};

/** Writes a pattern without foreign syntax as JavaScript's, for the flags `u` and, if the options include it, `i`. */
export function printPattern(part: Part): string {
  switch (part.kind) {
    case 'character':
    case 'place':
      return part.source;
    case 'sequence':
      return part.parts
        .map((inner) => (inner.kind === 'choice' ? `(?:${printPattern(inner)})` : printPattern(inner)))
        .join('');
    case 'choice':
      return part.options.map(printPattern).join('|');
    case 'capture':
      return `(${printPattern(part.body)})`;
    case 'look':
      return `(?${part.behind ? '<' : ''}${part.negative ? '!' : '='}${printPattern(part.body)})`;
    case 'atomic':
      return `(?:${printPattern(part.body)})`;
    case 'verb':
      return '';
    case 'reference':
      return typeof part.to === 'number' ? `\\${part.to}(?:)` : '';
    case 'repeat':
      return `(?:${printPattern(part.body)})${count(part.min, part.max)}${part.lazy ? '?' : ''}`;
  }
}
