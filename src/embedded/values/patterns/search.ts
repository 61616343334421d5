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

/**
 * Goes on at a place of the text; returns where the whole match ends, or -1. What is less lets no other way be tried:
 * `CUT` from where the match began, and what is still less within the option at hand of a choice, by its depth.
 */
export type Go = (at: number) => number;

export const CUT = -2;

/** Steps of one place to begin at, and of one text. */
export const STEPS_FROM = 500_000;
const STEPS_OF = 2_000_000;

/** Dead ends that are remembered for one text, and states of loops that a place may have at most. */
const MOST_ENDS = 200_000;
const MOST_STATES = 1_000_000;

/** What the loop at hand has come to at a place, as a number below `count`. */
interface LoopState {
  readonly count: number;
  readonly at: (place: number) => number;
}

/** The state of the search under way. */
export class Search {
  /** Parts and places from which the text does not match, so that none is tried twice. */
  private readonly ends = new Set<number>();
  private readonly loops: LoopState[] = [];
  private parts = 0;
  private states = 1;
  /** Whether what follows depends on the place and the loops alone, and on no captured text. */
  remembers = false;

  text = '';
  groups: Ends[] = [];
  left = STEPS_FROM;
  /** Where the next match may begin at the earliest. */
  next = 0;
  spent = 0;

  /** `countsRuns`: whether the characters of a run count; they do not where the pattern itself sets the limit, as in PCRE. */
  constructor(private readonly countsRuns: boolean) {}

  /** Forgets what was found out about another text. */
  begin(text: string): void {
    this.text = text;
    this.spent = 0;
    this.ends.clear();
  }

  /** A number for a part whose dead ends are worth remembering. */
  newPart(): number {
    this.parts += 1;
    return this.parts;
  }

  addLoop(state: LoopState): void {
    this.loops.push(state);
    this.states *= state.count;
  }

  /** Goes on from a place, unless it is known to lead nowhere. */
  from(part: number, at: number, go: Go): number {
    if (!this.remembers || this.states > MOST_STATES) return go(at);
    let id = at * (this.parts + 1) + part;
    for (const loop of this.loops) id = id * loop.count + loop.at(at);
    if (this.ends.has(id)) return -1;
    const end = go(at);
    if (end === -1 && this.ends.size < MOST_ENDS) this.ends.add(id);
    return end;
  }

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
