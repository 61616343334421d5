import type { Budget } from '../../src/limits/budget.js';
import { createGate } from '../../src/limits/gate.js';

/** A budget that no test exceeds, except for the given limits. */
export const budgetOf = (given: Partial<Budget> = {}): Budget => ({
  limits: { maxRows: 1e6, maxBytes: 1e9 },
  client: 'test',
  signal: new AbortController().signal,
  clock: { stop: () => undefined, start: () => undefined },
  heavy: createGate({ atOnce: 1, maxWaiting: 10 }),
  commands: createGate({ atOnce: 10, maxWaiting: 10 }),
  spent: { bytes: 0 },
  ...given,
});
