import type { Part } from './syntax.js';

/** A string that a pattern searches for. */
export interface Literal {
  readonly text: string;
  readonly ignoresCase: boolean;
}

/** One literal character in JavaScript's pattern syntax. */
const PLAIN = /^(?:\\([^A-Za-z0-9])|([^\\]))$/su;

/** A string that a pattern searches for, and the positions before and after it that must hold, as of `Part`. */
export interface Framed extends Literal {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** JavaScript's syntax of a position: an assertion, or a look at the next or the previous character. */
function placeOf(part: Part): string | undefined {
  if (part.kind === 'place') return part.source;
  if (part.kind !== 'look' || part.body.kind !== 'character') return undefined;
  return `(?${part.behind ? '<' : ''}${part.negative ? '!' : '='}${part.body.source})`;
}

/** The string that a pattern consists of, with or without positions around it; undefined for anything more, and for the empty one. */
export function framedOf(root: Part, ignoresCase: boolean): Framed | undefined {
  const parts = root.kind === 'sequence' ? root.parts : [root];
  const before: string[] = [];
  const after: string[] = [];
  let text = '';
  for (const part of parts) {
    const place = placeOf(part);
    if (place !== undefined) {
      (text === '' ? before : after).push(place);
      continue;
    }
    const found = part.kind === 'character' && after.length === 0 ? PLAIN.exec(part.source) : null;
    if (found === null) return undefined;
    text += found[1] ?? found[2] ?? '';
  }
  return text === '' ? undefined : { text, ignoresCase, before, after };
}
