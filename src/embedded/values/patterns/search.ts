import { tick } from '../work.js';

/** Thrown where a string takes more steps than a pattern may, as PCRE's match limit. */
export class MatchLimit extends Error {}

/** The ends of a capture in the text; -1 where the group took no part. */
export type Ends = [from: number, to: number];

/** A match: its ends, and those of each group. */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly groups: readonly Ends[];
}

/** Goes on at a place of the text; returns where the whole match ends, or -1. */
export type Go = (at: number) => number;

/** Steps of one place to begin at, and of one text. */
export const STEPS_FROM = 500_000;
const STEPS_OF = 2_000_000;

/** The state of the search under way. */
export class Search {
  text = '';
  groups: Ends[] = [];
  left = STEPS_FROM;
  spent = 0;

  /** `countsRuns`: whether the characters of a run count; they do not where the pattern itself sets the limit, as in PCRE. */
  constructor(private readonly countsRuns: boolean) {}

  stepInRun(): void {
    if (this.countsRuns) this.step();
    else tick();
  }

  step(): void {
    tick();
    this.left -= 1;
    this.spent += 1;
    if (this.left < 0 || this.spent > STEPS_OF) throw new MatchLimit();
  }
}

const ASCII = 128;

/** Where one character of a kind ends that stands at a place; -1 where another stands there. */
export function oneCharacter(search: Search, source: string, flags: string): Go {
  const regex = new RegExp(source, `${flags.includes('i') ? 'i' : ''}uy`);
  const known: (boolean | undefined)[] = new Array(ASCII).fill(undefined);
  return (at) => {
    const { text } = search;
    if (at >= text.length) return -1;
    const code = text.charCodeAt(at);
    if (code < ASCII) {
      known[code] ??= new RegExp(source, `${regex.flags.replace('y', '')}`).test(String.fromCharCode(code));
      return known[code] ? at + 1 : -1;
    }
    regex.lastIndex = at;
    return regex.test(text) ? regex.lastIndex : -1;
  };
}

export function place(search: Search, source: string): (at: number) => boolean {
  const regex = new RegExp(source, 'uy');
  return (at) => {
    regex.lastIndex = at;
    return regex.test(search.text);
  };
}
