import type { ResourceLimits } from '../values/limits.js';

/** The engine's settings for operations. */
export interface MeterSettings {
  readonly limits: ResourceLimits;
  readonly version: number;
}
