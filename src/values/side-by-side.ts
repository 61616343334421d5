/** The members of two records with the same name; undefined if a record has none. */
export interface MemberPair<T> {
  readonly name: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/**
 * Pairs the members of two records by name, in the order of the later one, followed by those that only the
 * earlier one has.
 */
export const sideBySide = <T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): readonly MemberPair<T>[] => {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...is.keys(), ...was.keys()])].map((name) => ({
    name,
    before: was.get(name),
    after: is.get(name),
  }));
};

/** The members that both records have. */
export const inBoth = <T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): readonly (readonly [name: string, before: T, after: T])[] =>
  sideBySide(before, after).flatMap(({ name, before: was, after: is }) =>
    was === undefined || is === undefined ? [] : [[name, was, is] as const],
  );
