import type { Document } from 'bson';
import { expect } from 'chai';
import { compileExpression, expressionScope } from '../../src/expressions/compile-expression.js';
import { compileFilter } from '../../src/matching/index.js';
import { compileUpdate } from '../../src/update/index.js';
import { DEFAULT_LIMITS } from '../../src/values/limits.js';
import { within } from '../../src/values/work.js';

const LENGTH = 900_000;
const LONG = 'a'.repeat(LENGTH);
/** It nearly matches everywhere, from whichever end it is compared. */
const NEARLY = [`${'a'.repeat(7900)}b`, `b${'a'.repeat(7900)}`, `${'a'.repeat(3950)}b${'a'.repeat(3950)}`];
const NUMBERS = Array.from({ length: 100_000 }, (_, i) => (i * 7919) % 100_003);
const NESTED = NUMBERS.map((n) => ({ n }));
const DOCUMENT = { text: LONG, end: `${LONG}B\n`, numbers: NUMBERS, nested: NESTED };

class Stopped extends Error {}

interface Outcome {
  readonly result: unknown;
  readonly checks: number;
  /** The most CPU between two checks, in milliseconds. */
  readonly longest: number;
}

/** Milliseconds of CPU that this process has used: other work on the machine does not count. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Evaluates something, noting how often it looks whether it has to end. */
function watch(evaluate: () => unknown, stopAt = Number.POSITIVE_INFINITY): Outcome {
  let checks = 0;
  let last = cpu();
  let longest = 0;
  const look = (): void => {
    const now = cpu();
    longest = Math.max(longest, now - last);
    last = now;
    checks += 1;
    if (checks >= stopAt) throw new Stopped();
  };
  const work = { limits: DEFAULT_LIMITS, version: 7, allowDiskUse: false, onlyReads: true, check: look };
  const result = within(work, evaluate);
  return { result, checks, longest: Math.max(longest, cpu() - last) };
}

const expression =
  (operand: unknown) =>
  (document: Document): unknown =>
    compileExpression(operand, expressionScope({}))(document);
const filter =
  (conditions: Document) =>
  (document: Document): unknown =>
    compileFilter(conditions, {})(document);
const update =
  (changes: Document) =>
  (document: Document): unknown =>
    compileUpdate(changes, {})(document);

type Case = readonly [run: (document: Document) => unknown, result?: unknown];

/** Work within one value, by what does it, and its result where that is short. */
const CASES: Readonly<Record<string, Case>> = {
  ...Object.fromEntries(
    NEARLY.flatMap((part, i): [string, Case][] => [
      [`$containsi ${i}`, [filter({ text: { $regex: part, $options: 'is' } }), false]],
      [`$endsWithi ${i}`, [filter({ text: { $regex: `${part}(?!.)`, $options: 'is' } }), false]],
      [`$startsWithi ${i}`, [filter({ text: { $regex: `^${part}`, $options: 'is' } }), false]],
      [`a word ${i}`, [filter({ text: { $regex: `\\b${part}\\b`, $options: 'i' } }), false]],
      [`$regex ${i}`, [filter({ text: { $regex: part } }), false]],
      [
        `$regexMatch ${i}`,
        [expression({ $regexMatch: { input: '$text', regex: part, options: 'i' } }), false],
      ],
      [`$indexOfCP ${i}`, [expression({ $indexOfCP: ['$text', part] }), -1]],
      [`$indexOfBytes ${i}`, [expression({ $indexOfBytes: ['$text', part] }), -1]],
      [`$split ${i}`, [expression({ $size: { $split: ['$text', part] } }), 1]],
      [
        `$replaceOne ${i}`,
        [expression({ $replaceOne: { input: '$text', find: part, replacement: '' } }), LONG],
      ],
      [
        `$replaceAll ${i}`,
        [expression({ $replaceAll: { input: '$text', find: part, replacement: '' } }), LONG],
      ],
    ]),
  ),
  '$endsWithi that matches': [filter({ end: { $regex: `${'A'.repeat(7900)}b$`, $options: 'is' } }), true],
  '$endsWithi beyond the end': [filter({ end: { $regex: `${'A'.repeat(7900)}b(?![^])`, $options: 'is' } })],
  'a pattern with a class': [filter({ text: { $regex: `[ab]{5000}c` } })],
  'a repeated character': [filter({ text: { $regex: 'a{20000}b' } }), false],
  $regexFindAll: [expression({ $size: { $regexFindAll: { input: '$text', regex: 'aaaa' } } }), LENGTH / 4],
  $strLenCP: [expression({ $strLenCP: '$text' }), LENGTH],
  $toUpper: [expression({ $strLenCP: { $toUpper: '$text' } }), LENGTH],
  $trim: [expression({ $trim: { input: '$text', chars: 'a' } }), ''],
  $substrCP: [expression({ $substrCP: ['$text', LENGTH - 1, 5] }), 'a'],
  $sortArray: [expression({ $first: { $sortArray: { input: '$numbers', sortBy: 1 } } }), 0],
  '$sortArray by a field': [
    expression({ $size: { $sortArray: { input: '$nested', sortBy: { n: 1 } } } }),
    100_000,
  ],
  $minN: [expression({ $minN: { input: '$numbers', n: 1 } }), [0]],
  $setUnion: [expression({ $size: { $setUnion: ['$numbers', '$nested'] } }), 200_000],
  $setIntersection: [expression({ $size: { $setIntersection: ['$numbers', '$numbers'] } }), 100_000],
  $setDifference: [expression({ $setDifference: ['$nested', '$nested'] }), []],
  $setIsSubset: [expression({ $setIsSubset: ['$nested', '$nested'] }), true],
  $setEquals: [expression({ $setEquals: ['$nested', '$nested'] }), true],
  '$in with two big lists': [filter({ numbers: { $in: NUMBERS.map((n) => n + 0.5) } }), false],
  '$in of an expression': [expression({ $in: [-1, '$numbers'] }), false],
  $reduce: [
    expression({ $reduce: { input: '$numbers', initialValue: 0, in: { $max: ['$$value', '$$this'] } } }),
    100_002,
  ],
  $elemMatch: [filter({ nested: { $elemMatch: { n: -1 } } }), false],
  $all: [filter({ numbers: { $all: [0, -1] } }), false],
  '$push with $sort': [update({ $push: { numbers: { $each: [1], $sort: 1 } } })],
  $addToSet: [update({ $addToSet: { nested: { $each: NESTED } } })],
  $pull: [update({ $pull: { nested: { n: { $gt: 5 } } } })],
  $pullAll: [update({ $pullAll: { nested: NESTED } })],
};

describe('embedded engine: work within one value', () => {
  for (const [title, [run, result]] of Object.entries(CASES)) {
    it(`${title} is metered and can be stopped`, () => {
      const stopped = ((): number => {
        const from = cpu();
        expect(() => watch(() => run(DOCUMENT), 1)).to.throw(Stopped);
        return cpu() - from;
      })();
      expect(stopped, 'milliseconds of CPU until it stops').to.be.below(1500);
      if (result === undefined) return;
      const outcome = watch(() => run(DOCUMENT));
      expect(outcome.result).to.deep.equal(result);
      // Work in proportion to the value, not to its square.
      expect(outcome.checks).to.be.within(1, 400_000);
      expect(outcome.longest, 'milliseconds of CPU between two checks').to.be.below(1000);
    });
  }
});
