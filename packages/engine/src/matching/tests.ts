import type { Literal } from '../values/patterns/literal.js';
import { tick } from '../values/work.js';
import type { Leaf, TestValue } from './match-path.js';

/**
 * A test of a stored value as bytes, given BSON's type byte and the position of its first byte; undefined if the value must be
 * decoded. It agrees with the corresponding test of the decoded value.
 */
export type RawTest = (bytes: Buffer, type: number, at: number) => boolean | undefined;

/** A compiled test of a value, and what is known about it. */
export interface ValueTest {
  readonly test: TestValue;
  /** The same test on bytes, if there is one. */
  readonly raw?: RawTest | undefined;
  /** The text that it searches for in strings, if it does nothing else. */
  readonly literal?: Literal | undefined;
}

/** A compiled test of what a filter is applied to. */
export interface SubjectTest<N> {
  readonly test: TestValue;
  /** Necessary conditions: if `test` holds, at least one of these does. */
  readonly needs?: readonly N[] | undefined;
}

/**
 * What a condition applies to: the values at a path of a document, or one element of an array. It turns a test of a value into a
 * test of the subject.
 */
export type Target<N> = (of: ValueTest, leaf: Leaf) => SubjectTest<N>;

/** One element of an array, which `$elemMatch` tests individually. */
export const ELEMENT: Target<never> = ({ test }) => ({ test });

/** Each of many tests is a step: one document may take milliseconds. */
const step = (test: TestValue, subject: unknown): boolean => {
  tick();
  return test(subject);
};

/** A test that passes if all of the given tests do. */
export function allOf(tests: readonly TestValue[]): TestValue {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (subject) => first(subject) && second(subject);
  return (subject) => tests.every((test) => step(test, subject));
}

/** The same for tests of a filter's subject: what any of them needs is needed. */
export const every = <N>(parts: readonly SubjectTest<N>[]): SubjectTest<N> => ({
  test: allOf(parts.map(({ test }) => test)),
  needs: parts.find(({ needs }) => needs !== undefined)?.needs,
});

/** A test that passes if one of the given tests does, which needs what one of them needs. */
export function some<N>(parts: readonly SubjectTest<N>[]): SubjectTest<N> {
  const tests = parts.map(({ test }) => test);
  const needs = parts.flatMap((part) => part.needs ?? []);
  return {
    test: (subject) => tests.some((test) => step(test, subject)),
    needs: parts.every((part) => part.needs !== undefined) ? needs : undefined,
  };
}

/** A test that passes if the given one does not. */
export const negate = ({ test }: { readonly test: TestValue }): { readonly test: TestValue } => ({
  test: (subject) => !test(subject),
});
