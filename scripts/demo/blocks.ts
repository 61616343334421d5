interface Text {
  readonly type: 'text';
  readonly text: string;
  readonly bold?: boolean;
}

/** A node of a `blocks` attribute (rules D.7), as far as the demo uses them. */
export interface Block {
  readonly type: 'paragraph' | 'heading' | 'quote';
  readonly level?: number;
  readonly children: readonly Text[];
}

/** `blocks` from lines: `## ` begins a heading, `> ` a quote, `**…**` is bold, all else is a paragraph. */
export const blocks = (...lines: readonly string[]): readonly Block[] => lines.map(block);

function block(line: string): Block {
  if (line.startsWith('## ')) return { type: 'heading', level: 2, children: inline(line.slice(3)) };
  if (line.startsWith('> ')) return { type: 'quote', children: inline(line.slice(2)) };
  return { type: 'paragraph', children: inline(line) };
}

/** Every second part between asterisks is bold. */
const inline = (line: string): readonly Text[] =>
  line
    .split('**')
    .map((text, at): Text => (at % 2 === 1 ? { type: 'text', text, bold: true } : { type: 'text', text }))
    .filter(({ text }) => text !== '');
