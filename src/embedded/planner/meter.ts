import { EngineError } from '../errors.js';
import type { ScanMeter } from './scan.js';

/** Counts what an operation reads and ends it when its `maxTimeMS` is over. */
export class Meter implements ScanMeter {
  keysExamined = 0;
  docsExamined = 0;
  private deadline: number;

  /** `milliseconds` 0 or undefined: no limit. */
  constructor(milliseconds: number | undefined) {
    this.deadline = milliseconds ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
  }

  /** Gives the operation as much time again; each getMore has its own. */
  restart(milliseconds: number | undefined): void {
    this.deadline = milliseconds ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;
  }

  check(): void {
    if (performance.now() > this.deadline) {
      throw new EngineError('MaxTimeMSExpired', 'operation exceeded time limit');
    }
  }
}
