import { tick } from '../work.js';

/** Thrown if a string takes more steps than a pattern may use, like PCRE's match limit. */
export class MatchLimit extends Error {}

/** The ends of a capture in the text; -1 if the group did not take part. */
export type Ends = [from: number, to: number];

/** A match: its ends, and those of each group. */
export interface Match {
  readonly from: number;
  readonly to: number;
  readonly groups: readonly Ends[];
}

/**
 * Continues at a position of the text; returns where the whole match ends, or -1. `CUT` aborts the attempt from
 * where the match began, `CUT - 1 - depth` the option of the choice at that depth.
 */
export type Go = (at: number) => number;

export const CUT = -2;

/** The maximum number of steps for one starting position, and for one text. */
export const STEPS_FROM = 500_000;
const STEPS_OF = 2_000_000;

/** The maximum number of dead ends remembered for one text, and of loop states at one position. */
const MOST_ENDS = 200_000;
const MOST_STATES = 1_000_000;

/** The state of the current loop at a position, as a number below `count`. */
interface LoopState {
  readonly count: number;
  readonly at: (place: number) => number;
}

/** The state of the current search. */
export class Search {
  /** Parts and positions from which the text does not match, so that none is tried twice. */
  private readonly ends = new Set<number>();
  private readonly loops: LoopState[] = [];
  private parts = 0;
  private states = 1;
  /** Whether what follows depends only on the position and the loops, and not on captured text. */
  remembers = false;

  text = '';
  groups: Ends[] = [];
  left = STEPS_FROM;
  /** The earliest position where the next match may begin. */
  next = 0;
  spent = 0;

  /** `countsRuns`: whether the characters of a run count; they do not if the pattern itself sets the limit, as in PCRE. */
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

  /** Continues from a position, unless it is known to be a dead end. */
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

/** Where a character of some kind ends at a position; -1 if there is another. */
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
