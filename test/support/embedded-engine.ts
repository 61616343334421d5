import type { RunningEngine } from '@mangrove/engine';

/** The embedded engine of a test file, and how its data is removed. */
export interface EmbeddedEngine {
  readonly engine: RunningEngine;
  readonly dataDir: string;
}

const PLACE = Symbol.for('mangrove.test.embedded');

/** Hooks and tests are loaded separately but share it. */
export const embedded: { running: Promise<EmbeddedEngine> | null } = Reflect.get(globalThis, PLACE) ?? {
  running: null,
};
Reflect.set(globalThis, PLACE, embedded);
