/** PCRE's named character classes, without Unicode properties. */
const POSIX: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  space: ' \\t\\n\\v\\f\\r',
  blank: ' \\t',
  upper: 'A-Z',
  lower: 'a-z',
  punct: '!-\\/:-@\\[-`\\{-~',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
  cntrl: '\\0-\\x1f\\x7f',
  print: ' -~',
  graph: '!-~',
  ascii: '\\0-\\x7f',
};
const SPACE = ' \\t\\n\\v\\f\\r';
const VERTICAL = '\\n\\v\\f\\r\\x85\\u2028\\u2029';
const HORIZONTAL = ' \\t\\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000';

/** The meaning of escapes that JavaScript lacks or interprets differently, as the inside of a class. */
const ESCAPES: Readonly<Record<string, string>> = {
  s: SPACE,
  h: HORIZONTAL,
  v: VERTICAL,
  R: VERTICAL,
  e: '\\x1b',
  a: '\\x07',
};
/** The opposites, which are only used on their own. */
const OPPOSITES: Readonly<Record<string, string>> = { S: SPACE, H: HORIZONTAL, V: VERTICAL, N: '\\n' };
const KNOWN = /^[dDwWnrtfbcxupPS]$/;

const code = (number: number): string => `\\u{${number.toString(16)}}`;

const property = (negative: boolean, name: string): string => {
  const inner = name.replace(/^\^/, '');
  const full = inner.length <= 2 || inner.includes('=') ? inner : `Script=${inner}`;
  return `\\${negative !== name.startsWith('^') ? 'P' : 'p'}{${full}}`;
};

/** Properties that PCRE adds to Unicode's, as the inside of a class. */
const PROPERTIES: Readonly<Record<string, string>> = {
  Any: '\\0-\\u{10ffff}',
  Xan: '\\p{L}\\p{N}',
  Xwd: '\\p{L}\\p{N}_',
  Xsp: '\\p{Z}\\t\\n\\v\\f\\r\\x85',
  Xps: '\\p{Z}\\t\\n\\v\\f\\r\\x85',
};

/** One escape in JavaScript's syntax, inside a class or on its own. */
function escapeOf(source: string, inClass: boolean): string {
  const body = source.slice(1);
  const letter = body[0] as string;
  const hex = /^x(?:\{([^}]*)\}|([0-9A-Fa-f]{1,2}))?/.exec(body) ?? /^u\{([^}]*)\}/.exec(body);
  if (hex !== null) return code(Number.parseInt(hex[1] ?? hex[2] ?? '0', 16));
  const octal = /^[0-7]{1,3}/.exec(body);
  if (octal !== null) return code(Number.parseInt(octal[0], 8));
  const named = /^([pP])(?:\{(.*)\}|(\w))$/.exec(body);
  if (named !== null) {
    const [, kind, name = named[3] as string] = named;
    const members = PROPERTIES[name];
    if (members === undefined || (inClass && kind === 'P')) return property(kind === 'P', name);
    return inClass ? members : `[${kind === 'P' ? '^' : ''}${members}]`;
  }
  const found = ESCAPES[letter];
  if (found !== undefined) return inClass ? found : `[${found}]`;
  const opposite = OPPOSITES[letter];
  if (opposite !== undefined && !inClass) return `[^${opposite}]`;
  if (KNOWN.test(letter)) return source;
  if (/[A-Za-z]/.test(letter)) throw new SyntaxError(`unrecognized character follows \\`);
  return /[\^$\\.*+?()[\]{}|/-]/.test(body) ? (inClass || body !== '-' ? source : '-') : body;
}

const PIECE =
  /\[:(\^?)(\w+):\]|\\(?:x\{[^}]*\}|x[0-9A-Fa-f]{1,2}|u\{[^}]*\}|[pP]\{[^}]*\}|[pP]\w|[0-7]{1,3}|c.|.)|[^\\]/gsu;

function classOf(source: string): string {
  const [, head = '', rest = ''] = /^(\[\^?)(.*)\]$/s.exec(source) ?? [];
  const first = rest.startsWith(']') ? '\\]' : '';
  const body = rest
    .slice(first === '' ? 0 : 1)
    .replace(PIECE, (piece, negative: string | undefined, name: string | undefined) => {
      if (name !== undefined) {
        const members = POSIX[name];
        if (members === undefined || negative) throw new SyntaxError('unknown POSIX class name');
        return members;
      }
      if (piece.startsWith('\\')) return escapeOf(piece, true);
      return piece === '[' ? '\\[' : piece;
    });
  // A neighbour of a character class cannot begin or end a range.
  const ranged = body.replace(/(\\[dDwWS]|\\[pP]\{[^}]*\})-|-(?=\\[dDwWS]|\\[pP]\{)/g, '$1\\-');
  return `${head}${first}${ranged}]`;
}

/** Converts PCRE's syntax for one character, a class or an escape, to JavaScript's. Throws `SyntaxError`. */
export const characterOf = (source: string): string =>
  source.startsWith('[') ? classOf(source) : escapeOf(source, false);
