import type { AppEvent } from '../events/events.js';

/** All invalid settings; the message lists them one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  /** Warnings found along with the problems. */
  readonly warnings: readonly AppEvent[];

  constructor(problems: readonly string[], warnings: readonly AppEvent[] = []) {
    const many = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
    super(`${many} in the configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
    this.warnings = warnings;
  }
}
