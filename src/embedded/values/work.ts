import { DEFAULT_LIMITS, type ResourceLimits } from './limits.js';

/** The newest version of MongoDB whose behaviour is followed, as `major.minor`. */
export const NEWEST_VERSION = 7;

/** What the operation under way may use. Evaluators look at it; commands set it. */
export interface Work {
  readonly limits: ResourceLimits;
  /** The version that is announced, such as 5 or 7: what is newer is unknown. */
  readonly version: number;
  /** The operation may use more memory than the limits, as where MongoDB would use the disk. */
  readonly allowDiskUse: boolean;
  /** Throws MaxTimeMSExpired or Interrupted where the operation has to end. */
  check(): void;
}

const NO_WORK: Work = {
  limits: DEFAULT_LIMITS,
  version: NEWEST_VERSION,
  allowDiskUse: false,
  check: () => {},
};

/** How many steps pass between two looks at the clock. */
const STEPS = 512;

let current: Work = NO_WORK;
let steps = 0;

/** The operation that is being evaluated; without limits of time where there is none. */
export const currentWork = (): Work => current;

/** Evaluates something for an operation. Evaluation is synchronous, so nothing else runs meanwhile. */
export function within<T>(work: Work, evaluate: () => T): T {
  const before = current;
  current = work;
  try {
    return evaluate();
  } finally {
    current = before;
  }
}

/** One step of a loop: now and then the clock is looked at. Throws where the operation has to end. */
export function tick(): void {
  steps += 1;
  if (steps < STEPS) return;
  steps = 0;
  current.check();
}
