type Test = (subject: never) => boolean;

const needed = new WeakMap<Test, readonly Test[]>();

/** Notes that a test holds only where one of some others does. */
export function needsOneOf(test: Test, others: readonly Test[]): void {
  needed.set(test, others);
}

/** Tests of which one holds wherever the given test does; undefined if none are known. */
export const neededOf = (test: Test): readonly Test[] | undefined => needed.get(test);

/** Passes on what the parts of a test need: each of them, if the test holds where any part does, otherwise one. */
export function passOnNeeds(test: Test, parts: readonly Test[], join: 'all' | 'any'): void {
  const known = parts.map(neededOf).filter((needs) => needs !== undefined);
  const [first] = known;
  if (first === undefined || (join === 'any' && known.length < parts.length)) return;
  needsOneOf(test, join === 'any' ? known.flat() : first);
}
