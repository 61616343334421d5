import { type PathPattern, pathSource } from '../values/path-pattern.js';

interface ReadPath {
  /** In the syntax of Mangrove's router: every parameter is `:name`, or `:part0` and so on if it has none. */
  readonly path: string;
  /** What it matches, if it is more than that. */
  readonly pattern?: PathPattern;
}

/** Literal parts and `:name`, also after a literal. */
const PLAIN = /^(?:\/(?::\w+|[\w.~%@!$&',;=-]+(?::\w+)?))*\/?$/;

/** A path as Strapi's router reads it, with `:id?`, `:id(\d+)`, `(.*)` and the like; null if it could not read it. */
export function readPath(path: string): ReadPath | null {
  const whole = `/${path.trim().replace(/^\/+/, '')}`;
  if (PLAIN.test(whole)) return { path: whole };
  try {
    return withPattern(whole);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const PARAMETER = /^([./]?)(?::(\w+)|(?=\())/;
const LITERAL = /^(?:\\([\w.~%-])|[\w.~%@!$&',;=/-])/;
/** A parameter without an expression of its own ends where its segment does. */
const IN_SEGMENT = '[^/#?]+?';

/** @throws SyntaxError */
function withPattern(path: string): ReadPath {
  const names: string[] = [];
  let source = '';
  let shown = '';
  /** The text since the last parameter. */
  let before = '';
  let rest = path;
  const take = (length: number): string => {
    const taken = rest.slice(0, length);
    rest = rest.slice(length);
    return taken;
  };
  while (rest !== '') {
    const parameter = PARAMETER.exec(rest);
    if (!parameter) {
      const [literal, char = literal] = LITERAL.exec(rest) ?? [];
      if (char === undefined || literal === undefined) throw new SyntaxError(rest);
      take(literal.length);
      before += char;
      source += pathSource(char);
      shown += char;
      continue;
    }
    const [start, prefix = '', given] = parameter;
    take(start.length);
    const expression = take(lengthOfGroup(rest)).slice(1, -1);
    const modifier = take(/^[?*+]?/.exec(rest)?.[0].length ?? 0);
    const name = given ?? String(names.filter((one) => /^\d+$/.test(one)).length);
    source += oneOf({ prefix, before, expression, modifier, isFirst: names.length === 0 });
    shown += `${prefix}:${given ?? `part${name}`}`;
    names.push(name);
    before = '';
  }
  new RegExp(source);
  return { path: shown, pattern: { source, names } };
}

interface Part {
  readonly prefix: string;
  readonly before: string;
  readonly expression: string;
  readonly modifier: string;
  readonly isFirst: boolean;
}

function oneOf({ prefix, before, expression, modifier, isFirst }: Part): string {
  const between = prefix || before;
  if (between === '' && !isFirst && expression === '')
    throw new SyntaxError('two parameters without text between them');
  const value =
    expression ||
    (between === '' || between.includes('/') ? IN_SEGMENT : `(?:(?!${pathSource(between)})[^/#?])+?`);
  const start = pathSource(prefix);
  if (modifier === '' || modifier === '?') return `(?:${start}(${value}))${modifier}`;
  if (prefix === '') throw new SyntaxError('a parameter that is repeated without text between');
  return `(?:${start}((?:${value})(?:${start}(?:${value}))*))${modifier === '*' ? '?' : ''}`;
}

/** The length of the parenthesis at the start of a text. As in Strapi's router, it has no group that captures. */
function lengthOfGroup(text: string): number {
  if (!text.startsWith('(')) return 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '(') {
      if ((text[at + 1] === '?') === (depth === 0)) throw new SyntaxError(text);
      depth += 1;
    } else if (char === ')') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  throw new SyntaxError(text);
}
