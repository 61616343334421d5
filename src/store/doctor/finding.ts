/** A finding about a live deployment, and the context of the checks. */
import { type AppEvent, findingOf, type Level, rowOf } from '../../events/events.js';
import { storedTypes } from '../../schema/find.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Topology } from '../connection/deployment.js';
import type { Store } from '../connection/store.js';

export interface Finding {
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do; null if there is nothing to do. */
  readonly advice: string | null;
  readonly event: AppEvent;
}

export type DoctorCheck = (context: DoctorContext) => Promise<readonly AppEvent[]>;

export interface DoctorContext {
  readonly store: Store;
  readonly schema: Schema;
  readonly topology: Topology;
}

const LEVELS: Readonly<Partial<Record<Level, Finding['level']>>> = { warn: 'warning', error: 'problem' };

/** Converts an event to a finding. */
export const asFinding = (event: AppEvent): Finding => ({
  level: LEVELS[rowOf(event).level] ?? 'ok',
  ...findingOf(event),
  event,
});

export const ownTypes = ({ schema }: DoctorContext): readonly ContentType[] =>
  storedTypes(schema).filter(({ origin }) => origin === 'api');
