import type { Part } from './syntax.js';

/** A string that a pattern searches for. */
export interface Literal {
  readonly text: string;
  readonly ignoresCase: boolean;
}

/** One literal character in JavaScript's pattern syntax. */
const PLAIN = /^(?:\\([^A-Za-z0-9])|([^\\]))$/su;

/** The string that a pattern consists of; undefined for anything more than a string, and for the empty one. */
export function literalOf(root: Part, ignoresCase: boolean): Literal | undefined {
  const parts = root.kind === 'sequence' ? root.parts : [root];
  let text = '';
  for (const part of parts) {
    const found = part.kind === 'character' ? PLAIN.exec(part.source) : null;
    if (found === null) return undefined;
    text += found[1] ?? found[2] ?? '';
  }
  return text === '' ? undefined : { text, ignoresCase };
}
