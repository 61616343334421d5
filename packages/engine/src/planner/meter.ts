import { EngineError } from '../errors.js';
import { FULL, FULL_FOR_READS, isHeapFull } from '../values/heap.js';
import { DEFAULT_LIMITS, type ResourceLimits } from '../values/limits.js';
import { ALL_SHORTCUTS, type Shortcuts } from '../values/shortcuts.js';
import { NEWEST_VERSION, type Work } from '../values/work.js';
import type { MeterSettings } from './meter-settings.js';
import type { ScanMeter } from './scan.js';

const PLAIN: MeterSettings = { limits: DEFAULT_LIMITS, version: NEWEST_VERSION, shortcuts: ALL_SHORTCUTS };
/** Milliseconds between two checks of the heap. */
const HEAP_EVERY = 25;

/** Counts what an operation reads, and ends it when its `maxTimeMS` is over or its client has disconnected. */
export class Meter implements ScanMeter, Work {
  keysExamined = 0;
  docsExamined = 0;
  readonly tables = new Set<number>();
  readonly limits: ResourceLimits;
  readonly version: number;
  readonly shortcuts: Shortcuts;
  /** Aborted when the operation's client disconnects. */
  client: AbortSignal | undefined;
  /** The error of an operation whose transaction has ended. */
  lost: () => EngineError | undefined = () => undefined;
  /** Neither reads nor writes. */
  onlyReads = false;
  /** The requested Stable API version. */
  api = '';
  private deadline: number;
  private heapSeen = performance.now();
  private ended: EngineError | undefined;

  /** `milliseconds` 0 or undefined: no limit. */
  constructor(
    milliseconds: number | undefined,
    { limits, version, shortcuts }: MeterSettings = PLAIN,
    readonly allowDiskUse = false,
  ) {
    this.limits = limits;
    this.version = version;
    this.shortcuts = shortcuts;
    this.deadline = deadlineOf(milliseconds);
  }

  /** Restarts the operation's time; each getMore has its own, and may come from another client. */
  restart(milliseconds: number | undefined, client: AbortSignal): void {
    this.deadline = deadlineOf(milliseconds);
    this.client = client;
  }

  /** The remaining milliseconds; Infinity without a limit. */
  get left(): number {
    return this.deadline - performance.now();
  }

  /** Ends the operation at its next check. */
  end(error: EngineError): void {
    this.ended ??= error;
  }

  /** Throws if the operation has been ended from outside. */
  checkEnd(): void {
    if (this.ended !== undefined) throw this.ended;
  }

  check(now: number): void {
    if (this.ended !== undefined) throw this.ended;
    if (this.client?.aborted) throw new EngineError('ClientDisconnect', 'operation was interrupted');
    if (now > this.deadline) throw timeIsUp();
    const lost = this.lost();
    if (lost !== undefined) throw lost;
    if (now - this.heapSeen > HEAP_EVERY) this.checkHeap(now);
  }

  private checkHeap(now: number): void {
    this.heapSeen = now;
    if (isHeapFull(this.onlyReads ? FULL_FOR_READS : FULL))
      throw new EngineError(
        'ExceededMemoryLimit',
        'operation was interrupted: the engine is short of memory',
      );
  }
}

const deadlineOf = (milliseconds: number | undefined): number =>
  milliseconds ? performance.now() + milliseconds : Number.POSITIVE_INFINITY;

const timeIsUp = (): EngineError => new EngineError('MaxTimeMSExpired', 'operation exceeded time limit');
