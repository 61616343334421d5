import type { Snapshot } from '../storage/reader.js';
import type { Store } from '../storage/store.js';
import type { ChangeSignal } from './signal.js';

/** What change streams need from the engine. */
export interface ChangeSource {
  readonly store: Store;
  readonly changes: ChangeSignal;
  /** The number of the last change in the oplog. */
  readonly lastChange: number;
  /** The current committed state. */
  snapshot(): Snapshot;
}
