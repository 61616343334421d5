/** What two records have under one name; undefined where one lacks it. */
export interface Beside<T> {
  readonly name: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** The members of two records beside each other: those of the later one in its order, then those that only the former has. */
export const sideBySide = <T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): readonly Beside<T>[] => {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...is.keys(), ...was.keys()])].map((name) => ({
    name,
    before: was.get(name),
    after: is.get(name),
  }));
};

/** The members that both have, side by side. */
export const inBoth = <T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
): readonly (readonly [name: string, before: T, after: T])[] =>
  sideBySide(before, after).flatMap(({ name, before: was, after: is }) =>
    was === undefined || is === undefined ? [] : [[name, was, is] as const],
  );
