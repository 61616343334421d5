import { EngineError } from '../errors.js';
import { DEFAULT_LIMITS, type ResourceLimits } from '../values/limits.js';
import { NEWEST_VERSION, type Work } from '../values/work.js';
import type { ScanMeter } from './scan.js';

/** What an operation runs under, as the engine is set up. */
export interface MeterSettings {
  readonly limits: ResourceLimits;
  readonly version: number;
}

const PLAIN: MeterSettings = { limits: DEFAULT_LIMITS, version: NEWEST_VERSION };

/** Counts what an operation reads and ends it when its `maxTimeMS` is over. */
export class Meter implements ScanMeter, Work {
  keysExamined = 0;
  docsExamined = 0;
  readonly limits: ResourceLimits;
  readonly version: number;
  private deadline: number;

  /** `milliseconds` 0 or undefined: no limit. */
  constructor(
    milliseconds: number | undefined,
    { limits, version }: MeterSettings = PLAIN,
    readonly allowDiskUse = false,
  ) {
    this.limits = limits;
    this.version = version;
    this.deadline = deadlineOf(milliseconds);
  }

  /** Gives the operation as much time again; each getMore has its own. */
  restart(milliseconds: number | undefined): void {
    this.deadline = deadlineOf(milliseconds);
  }

  /** Milliseconds that are left; Infinity without a limit. */
  get left(): number {
    return this.deadline - performance.now();
  }

  check(): void {
    if (performance.now() > this.deadline) throw timeIsUp();
  }
}

const deadlineOf = (milliseconds: number | undefined): number =>
  milliseconds ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;

export const timeIsUp = (): EngineError =>
  new EngineError('MaxTimeMSExpired', 'operation exceeded time limit');
