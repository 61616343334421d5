import type { InPlaceStep } from '../store/adopted/in-place.js';
import type { Entry, Write } from '../store/entries/changes.js';
import type { ChangeEvent } from '../store/outbox/outbox.js';
import type { WantedTarget, WritePlan } from './plan/write-plan.js';

/** The document that a target in a body resolved to; null: none. */
export interface FoundTarget extends WantedTarget {
  readonly found: string | null;
}

/** Receives the result of each step of a dry run, by its name in docs/architecture.md. A served write has none. */
export interface WriteTrace {
  /** A conflict begins the operation again. */
  begin?(attempt: number): void;
  planned?(plan: WritePlan): void;
  resolved?(targets: readonly FoundTarget[]): void;
  validated?(): void;
  built?(entry: Entry): void;
  /** What would be sent. */
  sent?(write: Write): void;
  /** To the collection of another program. */
  sentInPlace?(step: InPlaceStep): void;
  /** Events of such steps, which follow them. */
  told?(events: readonly ChangeEvent[]): void;
}
