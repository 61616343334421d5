/** A part of a pattern. `source` is JavaScript's syntax for one character or one position. */
export type Part =
  | { readonly kind: 'character'; readonly source: string; readonly flags: string }
  | { readonly kind: 'place'; readonly source: string }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly options: readonly Part[] }
  | { readonly kind: 'capture'; readonly group: number; readonly body: Part }
  | { readonly kind: 'look'; readonly behind: boolean; readonly negative: boolean; readonly body: Part }
  | { readonly kind: 'atomic'; readonly body: Part }
  | { readonly kind: 'verb'; readonly verb: Verb }
  | { readonly kind: 'reference'; readonly to: number | string; readonly flags: string }
  | Repeat;

/** PCRE's verbs: what happens when the match reaches one, or comes back to it without success. */
export type Verb = (typeof VERBS)[number];
const VERBS = ['ACCEPT', 'COMMIT', 'PRUNE', 'SKIP', 'THEN', 'FAIL', 'F'] as const;
/** A verb and its name, which only a mark would use. */
export const VERB = new RegExp(`\\(\\*(${VERBS.join('|')})(:[^)]*)?\\)`, 'y');

/** A quantified part. */
export interface Repeat {
  readonly kind: 'repeat';
  readonly body: Part;
  readonly min: number;
  readonly max: number;
  readonly lazy: boolean;
}

/** A parsed pattern. */
export interface ParsedPattern {
  readonly root: Part;
  /** The number of capturing groups. */
  readonly groups: number;
  readonly names: ReadonlyMap<string, number>;
  /** Whether it uses syntax that JavaScript lacks: atomic groups, possessive quantifiers, inline options. */
  readonly foreign: boolean;
}

/** The largest count that PCRE accepts. */
export const MOST = 65_535;
export const COUNT = /\{(\d+)(?:(,)(\d*))?\}/y;
export const OPTIONS = /\(\?([imsx]*)(?:-([imsx]*))?([:)])/y;
export const NAMED = /\(\?P?<([A-Za-z_]\w*)>|\(\?'([A-Za-z_]\w*)'/y;
export const LOOK = /\(\?(<?)([=!])/y;
export const ESCAPE =
  /\\(?:x\{[0-9A-Fa-f]+\}|x[0-9A-Fa-f]{1,2}|u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|[pP]\{\^?\w+(?:=\w+)?\}|[pP]\w|c.|.)/suy;
export const REFERENCE = /\\(?:([1-9]\d?)|k(?:<(\w+)>|\{(\w+)\}|'(\w+)')|g(?:(\d+)|\{(\d+)\}))/y;
export const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]/suy;
export const PLACES: Readonly<Record<string, string>> = {
  b: '\\b',
  B: '\\B',
  A: '(?<![^])',
  z: '(?![^])',
  Z: '(?=\\n?(?![^]))',
  G: '(?<![^])',
};

/** Reads the regular expression at a position of the text. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
