import type { AppEvent } from '../events/events.js';

/** Settings that cannot be used, all of them; its message lists them one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];
  /** What is odd besides. */
  readonly warnings: readonly AppEvent[];

  constructor(problems: readonly string[], warnings: readonly AppEvent[] = []) {
    const many = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
    super(`${many} in the configuration:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
    this.warnings = warnings;
  }
}
