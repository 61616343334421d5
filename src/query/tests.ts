interface TestRow {
  /** `order`: compares the order of values. `text`: compares the text form of the value. */
  readonly kind: 'equality' | 'order' | 'text' | 'presence';
  /** What an index on the attribute gives: the matches, a range of keys that holds them, or nothing. */
  readonly index: 'matches' | 'range' | 'nothing';
  /** A null value tests for null. Other text tests use the word "null", as Strapi puts it into its pattern. */
  readonly testsNull?: true;
}

/**
 * The tests of values that filter operators come down to, one row each. How a test is written as an
 * expression: `pipeline/filters/operators.ts`; how it is evaluated in this process:
 * `pipeline/filters/test-value.ts`.
 */
const TESTS = {
  eq: { kind: 'equality', index: 'matches', testsNull: true },
  in: { kind: 'equality', index: 'matches' },
  lt: { kind: 'order', index: 'range' },
  lte: { kind: 'order', index: 'range' },
  gt: { kind: 'order', index: 'range' },
  gte: { kind: 'order', index: 'range' },
  between: { kind: 'order', index: 'range' },
  eqi: { kind: 'text', index: 'nothing', testsNull: true },
  contains: { kind: 'text', index: 'nothing' },
  containsi: { kind: 'text', index: 'nothing' },
  startsWith: { kind: 'text', index: 'range' },
  startsWithi: { kind: 'text', index: 'nothing' },
  endsWith: { kind: 'text', index: 'nothing' },
  endsWithi: { kind: 'text', index: 'nothing' },
  /** Part of the text, like `containsi`; `_` matches any character. */
  search: { kind: 'text', index: 'nothing' },
  null: { kind: 'presence', index: 'matches' },
} as const satisfies Record<string, TestRow>;

export type TestOperator = keyof typeof TESTS;

/** The tests of one kind. */
export type TestsOf<Kind extends TestRow['kind']> = {
  [Name in TestOperator]: (typeof TESTS)[Name]['kind'] extends Kind ? Name : never;
}[TestOperator];

export const rowOfTest = (operator: TestOperator): TestRow => TESTS[operator];
