import type { ResourceLimits } from '../values/limits.js';
import type { Shortcuts } from '../values/shortcuts.js';

/** The engine's settings for operations. */
export interface MeterSettings {
  readonly limits: ResourceLimits;
  readonly version: number;
  readonly shortcuts: Shortcuts;
}
