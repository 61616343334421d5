import { DEFAULT_LIMITS, type ResourceLimits } from './limits.js';

/** The newest version of MongoDB that is emulated, as `major.minor`. */
export const NEWEST_VERSION = 7;

/** What the current operation may use. Evaluators check it; commands set it. */
export interface Work {
  readonly limits: ResourceLimits;
  /** The announced version, such as 5 or 7: anything newer is unknown. */
  readonly version: number;
  /** The operation may use more memory than the limits, where MongoDB would use the disk. */
  readonly allowDiskUse: boolean;
  /** It neither reads nor writes, so others lose nothing while it waits. */
  readonly onlyReads: boolean;
  /** Throws MaxTimeMSExpired or Interrupted if the operation has to end; `now` is from `performance`. */
  check(now: number): void;
}

const NO_WORK: Work = {
  limits: DEFAULT_LIMITS,
  version: NEWEST_VERSION,
  allowDiskUse: false,
  onlyReads: false,
  check: () => {},
};

/** Steps between two checks of the operation. */
export const STEPS = 32;
/** Milliseconds after which others get their turn. */
const TURN = 5;

let current: Work = NO_WORK;
let steps = 0;
let began = 0;
let over = false;

/** The operation that is being evaluated; without a time limit if there is none. */
export const currentWork = (): Work => current;

/** Evaluates something for an operation. Evaluation is synchronous, so nothing else runs meanwhile. */
export function within<T>(work: Work, evaluate: () => T): T {
  const before = { current, began, over };
  current = work;
  began = performance.now();
  over = false;
  try {
    return evaluate();
  } finally {
    ({ current, began, over } = before);
  }
}

function look(): void {
  steps = 0;
  if (current === NO_WORK) return;
  const now = performance.now();
  current.check(now);
  if (now - began > TURN) over = true;
}

/**
 * One step of a loop over array elements, documents, or positions in a string: every so often the operation is checked. Throws if
 * it has to end.
 */
export function tick(): void {
  steps += 1;
  if (steps >= STEPS) look();
}

/** Characters that are read in the time of one step, and elements of an array. */
const CHARACTERS = 256;
const ELEMENTS = 16;

/** As many steps as characters of a text take. */
export function tickBy(characters: number): void {
  steps += characters / CHARACTERS;
  if (steps >= STEPS) look();
}

/** The steps of reading a value once, of which only large ones take any. */
export function tickFor(value: unknown): void {
  if (typeof value === 'string') {
    if (value.length >= CHARACTERS) tickBy(value.length);
  } else if (Array.isArray(value) && value.length >= ELEMENTS) tickBy((value.length / ELEMENTS) * CHARACTERS);
}

/** The same function, a step each time that it is called. */
export const stepwise =
  <A extends readonly unknown[], R>(call: (...values: A) => R): ((...values: A) => R) =>
  (...values) => {
    tick();
    return call(...values);
  };

/** As `tick`, after a step that takes long enough for the clock to be read. */
export function tickNow(): void {
  steps = STEPS;
  tick();
}

/** Whether the operation has had the thread long enough; streams of documents then pause. */
export const isTurnOver = (): boolean => over;
