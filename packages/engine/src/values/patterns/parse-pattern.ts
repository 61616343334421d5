import {
  CLASS,
  COUNT,
  ESCAPE,
  LOOK,
  MOST,
  matchAt,
  NAMED,
  OPTIONS,
  type ParsedPattern,
  type Part,
  PLACES,
  REFERENCE,
  VERB,
  type Verb,
} from './syntax.js';

/** The maximum nesting of parentheses in PCRE. */
const DEEPEST = 250;

class Parser {
  private at = 0;
  private groups = 0;
  private depth = 0;
  private foreign = false;
  private readonly names = new Map<string, number>();

  constructor(
    private readonly text: string,
    private flags: string,
    private readonly characterOf: (source: string) => string,
  ) {}

  parse(): ParsedPattern {
    const root = this.choice();
    if (this.at < this.text.length) throw new SyntaxError('unmatched closing parenthesis');
    return { root, groups: this.groups, names: this.names, foreign: this.foreign };
  }

  private choice(): Part {
    const options = [this.sequence()];
    while (this.text[this.at] === '|') {
      this.at += 1;
      options.push(this.sequence());
    }
    return options.length === 1 ? (options[0] as Part) : { kind: 'choice', options };
  }

  private sequence(): Part {
    const parts: Part[] = [];
    while (this.at < this.text.length && this.text[this.at] !== '|' && this.text[this.at] !== ')') {
      const part = this.part();
      if (part !== undefined) parts.push(this.quantified(part));
    }
    return parts.length === 1 ? (parts[0] as Part) : { kind: 'sequence', parts };
  }

  /** One part; undefined for parts without meaning of their own: comments, options, and space under `x`. */
  private part(): Part | undefined {
    const character = this.text[this.at] as string;
    if (this.flags.includes('x') && /[\s#]/.test(character)) return this.skipSpace();
    switch (character) {
      case '(':
        return this.group();
      case '[':
        return this.taken(matchAt(CLASS, this.text, this.at), 'missing terminating ] for character class');
      case '\\':
        return this.escape();
      case '^':
      case '$':
        this.at += 1;
        return { kind: 'place', source: this.end(character) };
      case '*':
      case '+':
      case '?':
        throw new SyntaxError('quantifier does not follow a repeatable item');
      default:
        return this.literal();
    }
  }

  /** The end of lines: a line feed, or a carriage return by the setting `(*CR)`, which is the flag `R` here. */
  private get newline(): string {
    return this.flags.includes('R') ? '\\r' : '\\n';
  }

  /** The beginning or the end; PCRE has only one line ending, and its `$` also matches before a final one. */
  private end(character: string): string {
    const line = this.newline;
    if (this.flags.includes('m')) return character === '$' ? `(?![^${line}])` : `(?<![^${line}])`;
    return character === '$' ? `(?=${line}?(?![^]))` : '^';
  }

  private skipSpace(): undefined {
    if (this.text[this.at] !== '#') {
      this.at += 1;
      return undefined;
    }
    const line = this.text.indexOf('\n', this.at);
    this.at = line < 0 ? this.text.length : line + 1;
    return undefined;
  }

  private literal(): Part {
    const character = String.fromCodePoint(this.text.codePointAt(this.at) as number);
    this.at += character.length;
    const any = this.flags.includes('s') ? '[^]' : `[^${this.newline}]`;
    const source = character === '.' ? any : character.replace(/[{}\]/]/, '\\$&');
    return { kind: 'character', source, flags: this.flags };
  }

  private taken(found: RegExpExecArray | null, message: string): Part {
    if (found === null) throw new SyntaxError(message);
    this.at += found[0].length;
    return { kind: 'character', source: this.characterOf(found[0]), flags: this.flags };
  }

  private escape(): Part | undefined {
    if (this.text.startsWith('\\Q', this.at)) return this.quoted();
    const reference = matchAt(REFERENCE, this.text, this.at);
    if (reference !== null) {
      this.at += reference[0].length;
      const to = reference.slice(1).find((name) => name !== undefined) as string;
      return { kind: 'reference', to: /^\d/.test(to) ? Number(to) : to, flags: this.flags };
    }
    const place = PLACES[this.text[this.at + 1] ?? ''];
    if (place === undefined) return this.taken(matchAt(ESCAPE, this.text, this.at), '\\ at end of pattern');
    this.at += 2;
    return { kind: 'place', source: place };
  }

  private quoted(): Part {
    const end = this.text.indexOf('\\E', this.at);
    const text = this.text.slice(this.at + 2, end < 0 ? undefined : end);
    this.at = end < 0 ? this.text.length : end + 2;
    this.foreign = true;
    const parts = [...text].map(
      (character): Part => ({
        kind: 'character',
        source: character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'),
        flags: this.flags,
      }),
    );
    return { kind: 'sequence', parts };
  }

  private close(body: Part): Part {
    if (this.text[this.at] !== ')') throw new SyntaxError('missing closing parenthesis');
    this.at += 1;
    return body;
  }

  /** The content of parentheses; options inside end with it. */
  private inside(length: number): Part {
    this.at += length;
    this.depth += 1;
    if (this.depth > DEEPEST) throw new SyntaxError('parentheses are too deeply nested');
    const { flags } = this;
    const body = this.close(this.choice());
    this.flags = flags;
    this.depth -= 1;
    return body;
  }

  private group(): Part | undefined {
    const { text, at } = this;
    if (text.startsWith('(?#', at)) {
      const end = text.indexOf(')', at);
      if (end < 0) throw new SyntaxError('missing ) after (?# comment');
      this.at = end + 1;
      return undefined;
    }
    const verb = matchAt(VERB, text, at);
    if (verb !== null) return this.verb(verb);
    if (text.startsWith('(?>', at)) {
      this.foreign = true;
      return { kind: 'atomic', body: this.inside(3) };
    }
    const look = matchAt(LOOK, text, at);
    if (look !== null) {
      const body = this.inside(look[0].length);
      return { kind: 'look', behind: look[1] === '<', negative: look[2] === '!', body };
    }
    const options = matchAt(OPTIONS, text, at);
    if (options !== null) return this.options(options);
    return this.capture(matchAt(NAMED, text, at));
  }

  private verb([whole, verb, name]: RegExpExecArray): Part | undefined {
    this.at += whole.length;
    this.foreign = true;
    // There is no mark that it could skip to.
    if (verb === 'SKIP' && name !== undefined) return undefined;
    return { kind: 'verb', verb: verb as Verb };
  }

  private options([whole, on = '', off = '', end]: RegExpExecArray): Part | undefined {
    const { flags } = this;
    const changed = [...new Set(flags + on)].filter((flag) => !off.includes(flag)).join('');
    if (changed !== flags) this.foreign = true;
    this.flags = changed;
    if (end === ')') {
      this.at += whole.length;
      return undefined;
    }
    const body = this.inside(whole.length);
    this.flags = flags;
    return body;
  }

  private capture(named: RegExpExecArray | null): Part {
    if (named === null && this.text[this.at + 1] === '?')
      throw new SyntaxError('unrecognized character after (? or (?-');
    this.groups += 1;
    const group = this.groups;
    const name = named?.[1] ?? named?.[2];
    if (name !== undefined) this.names.set(name, group);
    return { kind: 'capture', group, body: this.inside(named?.[0].length ?? 1) };
  }

  private count(): { min: number; max: number } | undefined {
    const character = this.text[this.at];
    if (character === '*' || character === '+' || character === '?') {
      this.at += 1;
      return { min: character === '+' ? 1 : 0, max: character === '?' ? 1 : Number.POSITIVE_INFINITY };
    }
    const found = character === '{' ? matchAt(COUNT, this.text, this.at) : null;
    if (found === null) return undefined;
    this.at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (max < min) throw new SyntaxError('numbers out of order in {} quantifier');
    if (min > MOST || (Number.isFinite(max) && max > MOST))
      throw new SyntaxError('number too big in {} quantifier');
    return { min, max };
  }

  private quantified(part: Part): Part {
    let out = part;
    for (let count = this.count(); count !== undefined; count = this.count()) {
      const mode = this.text[this.at];
      if (mode === '?' || mode === '+') this.at += 1;
      out = { kind: 'repeat', body: out, ...count, lazy: mode === '?' };
      if (mode === '+') {
        this.foreign = true;
        out = { kind: 'atomic', body: out };
      }
    }
    return out;
  }
}

/**
 * Parses a PCRE pattern. `characterOf` converts PCRE's syntax for one character (a class or an escape) to JavaScript's. Throws
 * `SyntaxError`.
 */
export function parsePattern(
  text: string,
  flags: string,
  characterOf: (source: string) => string,
): ParsedPattern {
  return new Parser(text, flags, characterOf).parse();
}
