/** One error in the schema files: where it is, and what was expected there. */
export interface Problem {
  /** The file, relative to the folder that was read. */
  readonly file: string;
  /** Dotted path in the file, such as `attributes.title.maxLength`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected, without a full stop: `a number, not "ten"`. */
  readonly expected: string;
}

export const problemAt = (file: string, path: string, expected: string): Problem => ({
  file,
  path,
  expected,
});

const line = (problem: Problem): string =>
  `  ${problem.file}${problem.path === '' ? '' : ` › ${problem.path}`}: ${problem.expected}`;

/**
 * The schema files cannot be used. Contains all problems, not only the first; the message lists them one per
 * line.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const many = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
    super(`${many} in the schema files:\n${problems.map(line).join('\n')}`);
    this.problems = problems;
  }
}
