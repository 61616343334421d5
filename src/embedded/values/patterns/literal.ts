import type { Part } from './syntax.js';

/** A text that a pattern looks for. */
export interface Literal {
  readonly text: string;
  readonly ignoresCase: boolean;
}

/** One character that stands for itself, as JavaScript's patterns write it. */
const PLAIN = /^(?:\\([^A-Za-z0-9])|([^\\]))$/su;

/** The text that a pattern is; undefined for one that is more than a text, and for the empty one. */
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
