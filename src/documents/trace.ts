import type { InPlaceStep } from '../store/adopted/in-place.js';
import type { Entry, Write } from '../store/entries/changes.js';
import type { ChangeEvent } from '../store/outbox/outbox.js';
import type { WantedTarget, WritePlan } from './plan/write-plan.js';

/** A target named in a body, and the documentId it resolved to (null if there is none). */
export interface FoundTarget extends WantedTarget {
  readonly found: string | null;
}

/**
 * Receives the result of each step of a dry run; the steps are those of docs/architecture.md. Absent in a
 * served write.
 */
export interface WriteTrace {
  /** An attempt begins; a conflict begins another. */
  begin?(attempt: number): void;
  planned?(plan: WritePlan): void;
  resolved?(targets: readonly FoundTarget[]): void;
  validated?(): void;
  built?(entry: Entry): void;
  /** What would be sent. */
  sent?(write: Write): void;
  /** What would be sent to an adopted collection. */
  sentInPlace?(step: InPlaceStep): void;
  /** The events that would follow such steps. */
  sentEvents?(events: readonly ChangeEvent[]): void;
}
