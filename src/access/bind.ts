/** Operations that take what they work with as their first parameter, without it. */
export type Bound<T> = {
  readonly [K in keyof T]: T[K] extends (deps: never, ...args: infer A) => infer R
    ? (...args: A) => R
    : never;
};

/** Gives each operation of a table its `deps`. */
export const bind = <D, T extends Readonly<Record<string, (deps: D, ...args: never[]) => unknown>>>(
  deps: D,
  operations: T,
): Bound<T> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, run]) => [name, (...args: never[]) => run(deps, ...args)]),
  ) as Bound<T>;
