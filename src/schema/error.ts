/** One thing wrong with the schema files: where, and what was expected there. */
export interface Problem {
  /** The file as it was found, relative to the folder that was read. */
  readonly file: string;
  /** The place in it, dotted: `attributes.title.maxLength`; empty for the file as a whole. */
  readonly path: string;
  /** A sentence without a full stop: `a number, not "ten"`. */
  readonly expected: string;
}

export const problemAt = (file: string, path: string, expected: string): Problem => ({
  file,
  path,
  expected,
});

const line = (problem: Problem): string =>
  `  ${problem.file}${problem.path === '' ? '' : ` › ${problem.path}`}: ${problem.expected}`;

/** Schema files that cannot be used. Holds every problem found, not only the first; its message lists them one a line. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const many = problems.length === 1 ? 'One problem' : `${problems.length} problems`;
    super(`${many} in the schema files:\n${problems.map(line).join('\n')}`);
    this.problems = problems;
  }
}
