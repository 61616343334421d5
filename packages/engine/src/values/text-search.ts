import { tickBy } from './work.js';

/** Text as numbers that are compared: code units, code points or bytes. */
export type Units = Uint8Array | Uint16Array | Uint32Array;

/** Units that are compared between two checks of the operation. */
const STRETCH = 4096;

/** How often each prefix of a text can be continued after a mismatch: the length of its longest border. */
function bordersOf(wanted: Units): Int32Array {
  const borders = new Int32Array(wanted.length);
  let length = 0;
  for (let i = 1; i < wanted.length; i++) {
    while (length > 0 && wanted[i] !== wanted[length]) length = borders[length - 1] as number;
    if (wanted[i] === wanted[length]) length += 1;
    borders[i] = length;
  }
  return borders;
}

/**
 * A search for a text that takes as many steps as both texts are long, whatever they consist of (Knuth, Morris and Pratt).
 * JavaScript's own searches are faster on usual texts, but multiply the lengths on repetitive ones.
 */
export class TextSearch {
  private readonly borders: Int32Array;

  constructor(private readonly wanted: Units) {
    this.borders = bordersOf(wanted);
  }

  /** Where the text first begins, from a position on, among the places that are accepted; -1 if nowhere. */
  find(units: Units, from = 0, accepts: (at: number) => boolean = () => true): number {
    const { wanted, borders } = this;
    if (wanted.length === 0) return from <= units.length && accepts(from) ? from : -1;
    let same = 0;
    for (let at = from; at < units.length; at++) {
      if (at % STRETCH === 0) tickBy(STRETCH);
      const unit = units[at];
      while (same > 0 && wanted[same] !== unit) same = borders[same - 1] as number;
      if (wanted[same] === unit) same += 1;
      if (same < wanted.length) continue;
      const start = at + 1 - same;
      if (accepts(start)) return start;
      same = borders[same - 1] as number;
    }
    return -1;
  }
}

/** The code units of a text. */
export function codeUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}

/** The code points of a text. */
export function codePoints(text: string): Units {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let i = 0; i < text.length; count++) {
    const point = text.codePointAt(i) as number;
    points[count] = point;
    i += point > 0xffff ? 2 : 1;
  }
  return points.subarray(0, count);
}

/** Characters that equal another one, case ignored, although neither their lower nor their upper case is the same; and one that does not. */
const ODD: ReadonlyMap<string, string> = new Map([
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
  ['\u0131', '\u0131'],
]);

/** Another case of a character, if it is as long. */
const ifSameLength = (cased: string, character: string): string =>
  cased.length === character.length ? cased : character;

function foldCharacter(character: string): string {
  const odd = ODD.get(character);
  if (odd !== undefined) return odd;
  const upper = ifSameLength(character.toUpperCase(), character);
  return ifSameLength(upper.toLowerCase(), upper);
}

const folded = new Map<string, string>();

/** The form that a character shares with those that regular expressions with the flags `iu` consider equal; of the same length. */
export function fold(character: string): string {
  let known = folded.get(character);
  if (known === undefined) {
    known = foldCharacter(character);
    folded.set(character, known);
  }
  return known;
}

const ASCII = 128;
const FOLDED_ASCII = Uint16Array.from({ length: ASCII }, (_, code) =>
  String.fromCharCode(code).toLowerCase().charCodeAt(0),
);

/** The code units of a text without its case: what is equal in it is what the flags `iu` consider equal. */
export function foldedUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < ASCII) {
      units[i] = FOLDED_ASCII[unit] as number;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(i) as number);
    const same = fold(character);
    units[i] = same.charCodeAt(0);
    if (character.length === 1) continue;
    i += 1;
    units[i] = same.charCodeAt(1);
  }
  return units;
}

/** The most comparisons that a search of JavaScript's, which cannot be interrupted, may need. */
export const NATIVE_STEPS = 20_000_000;
/** Up to this length of what is searched for, V8 skips enough to be linear (its Boyer-Moore tables are as long). */
const SHORT = 250;

const isQuick = (text: string, part: string): boolean =>
  part.length <= SHORT || part.length * text.length <= NATIVE_STEPS;

/** As `indexOf`, in linear time. */
export const indexOfText = (text: string, part: string): number =>
  isQuick(text, part) ? text.indexOf(part) : new TextSearch(codeUnits(part)).find(codeUnits(text));

/** As `split` by a text that is not empty, in linear time. */
export function splitText(text: string, separator: string): string[] {
  if (isQuick(text, separator)) return text.split(separator);
  const search = new TextSearch(codeUnits(separator));
  const units = codeUnits(text);
  const out: string[] = [];
  let from = 0;
  for (let at = search.find(units); at >= 0; at = search.find(units, from)) {
    out.push(text.slice(from, at));
    from = at + separator.length;
  }
  out.push(text.slice(from));
  return out;
}
