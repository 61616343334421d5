/** One error in the schema files: where it is, and what was expected there. */
export interface Problem {
  /** The file, relative to the folder that was read. */
  readonly file: string;
  /** Dotted path in the file, such as `attributes.title.maxLength`; empty for the file as a whole. */
  readonly path: string;
  /** What was expected, without a full stop: `a number, not "ten"`. */
  readonly expected: string;
  /** How the file can be used nevertheless; absent if someone has to correct it. */
  readonly repair?: Repair;
}

/** A change to a schema file that makes it valid. */
export interface Repair {
  /**
   * Whether Strapi 5 starts with such a file. Then Mangrove does too, with this change; otherwise only an
   * import makes it.
   */
  readonly starts: boolean;
  /** Dotted path of what is changed; that of the problem if absent. */
  readonly at?: string;
  /** The new value; absent: it is removed. */
  readonly value?: unknown;
}

export const problemAt = (file: string, path: string, expected: string, repair?: Repair): Problem => ({
  file,
  path,
  expected,
  ...(repair && { repair }),
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
