import type { ResourceLimits } from '../values/limits.js';

/** What an operation runs under, as the engine is set up. */
export interface MeterSettings {
  readonly limits: ResourceLimits;
  readonly version: number;
}
