import { expect } from 'chai';
import fc from 'fast-check';
import type { EngineError } from '../../src/errors.js';
import { characterOf } from '../../src/values/patterns/characters.js';
import { compileMatcher } from '../../src/values/patterns/match-pattern.js';
import { parsePattern } from '../../src/values/patterns/parse-pattern.js';
import { MatchLimit, makeRegex } from '../../src/values/regex.js';

/** Patterns with nested loops, alternatives and lookaheads. */
const PATTERNS = [
  '(a|b|ab)*c',
  '^(?:a*b?)+c$',
  '(?:(a+)|(b+))*?c',
  '(?:a{2,3}b?){2,}',
  '(?:(?=a)a|b)+$',
  '(?>a|ab)*c',
  '(a*?b*?)*c?$',
  '(?:a|b(?!c))+c',
];

/** Patterns, options, strings that match, strings that do not. */
const TABLE: readonly (readonly [string, string, readonly string[], readonly string[]])[] = [
  ['^ab', '', ['abc'], ['cab', 'x\nab']],
  ['^ab', 'm', ['x\nab'], ['xab']],
  ['ab$', '', ['ab', 'xab\n'], ['ab\n\n', 'abc']],
  ['\\Aab\\z', '', ['ab'], ['ab\n']],
  ['a.c', '', ['abc', 'a\rc'], ['a\nc']],
  ['a.c', 's', ['a\nc'], []],
  ['AB', 'i', ['xabx', 'aB'], ['ba']],
  ['é', 'i', ['É'], ['e']],
  ['a b # c', 'x', ['ab'], ['a b']],
  ['(?i)ab', '', ['AB'], []],
  ['a(?i)b', '', ['aB'], ['Ab']],
  ['(?i:a)b', '', ['Ab'], ['AB']],
  ['[[:alpha:]]+[[:digit:]]', '', ['ab1'], ['1a', 'é1']],
  ['[]a]', '', [']', 'a'], ['b']],
  ['\\d{2,3}', '', ['a12'], ['1a2']],
  ['a{,2}', '', ['a{,2}'], ['aa']],
  ['\\Qa.b\\E+', '', ['a.b', 'a.bb'], ['axb']],
  ['(a+)+$', '', ['aaa'], ['aab']],
  ['a++b', '', ['aab'], []],
  ['a++a', '', [], ['aaa']],
  ['(?>a|ab)c', '', ['ac'], ['abc']],
  ['(?P<x>a)b\\k<x>', '', ['aba'], ['abb']],
  ['(a|b)\\1', '', ['aa', 'bb'], ['ab']],
  ['foo(?=bar)', '', ['foobar'], ['foobaz']],
  ['foo(?!bar)', '', ['foobaz'], ['foobar']],
  ['(?<=foo)bar', '', ['foobar'], ['bazbar']],
  ['(?<!foo)bar', '', ['bazbar'], ['foobar']],
  ['(*UTF8)a', '', ['a'], ['b']],
  ['a(*FAIL)|b', '', ['b'], ['a']],
  ['^(?:a(*ACCEPT)b|c)$', '', ['ax', 'c'], ['b', 'cx']],
  ['a+(*COMMIT)b', '', ['aab'], ['aac aab']],
  ['a+(*PRUNE)b', '', ['aac aab'], ['aac']],
  ['a+(*PRUNE:x)(?:b|(*SKIP:y)c)', '', ['aac', 'aab'], ['aad']],
  ['aa(*SKIP)b|a', '', ['ab'], ['aac']],
  ['^(?:a+(*THEN)b|aac)', '', ['aab', 'aac'], ['aad']],
  ['^(?:x|y)(*THEN)a|^ya', '', ['xa', 'ya'], ['za']],
  ['(?!a(*COMMIT)b)a', '', ['ab ac', 'ac'], ['ab']],
  ['^\\p{Xan}+\\P{Xan}[\\p{Xwd}]$', '', ['a1 _'], ['a  1', '__']],
  ['\\x41\\x{42}', '', ['AB'], ['ab']],
  ['\\h\\s\\w\\W', '', ['\t a!'], ['a']],
  ['\\p{Lu}\\pL', '', ['Ab'], ['ab']],
  ['\\p{Greek}', '', ['α'], ['a']],
  ['\\-\\_\\"', '', ['-_"'], []],
  ['[\\w-]+@[a-z.-]+', '', ['a-b@c.d'], ['@']],
  ['😀.', '', ['😀😀'], ['😀']],
];

const codeOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return (error as EngineError).code;
  }
  return undefined;
};

describe('embedded/values: patterns', () => {
  for (const [pattern, options, yes, no] of TABLE) {
    it(`/${pattern}/${options}`, () => {
      const regex = makeRegex(pattern, options);
      const counting = compileMatcher(parsePattern(pattern.replace(/^\(\*UTF8\)/, ''), options, characterOf));
      for (const text of yes) {
        expect(regex.test(text), text).to.equal(true);
        expect(counting(text, 0), text).to.not.equal(undefined);
      }
      for (const text of no) {
        expect(regex.test(text), text).to.equal(false);
        expect(counting(text, 0), text).to.equal(undefined);
      }
    });
  }

  it('the matcher that counts its steps agrees with JavaScript', () => {
    const { pattern } = fc.letrec((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom('a', 'b', 'c', '[ab]', '[^a]', '\\w', '^', '$', '\\b'),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
        tie('pattern').map((a) => `(${a})`),
        fc
          .tuple(
            tie('pattern'),
            fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,2}?', '{2,}'),
          )
          .map(([a, count]) => `(?:${a})${count}`),
        fc
          .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('pattern'))
          .map(([kind, a]) => `(${kind}${a})`),
      ),
    }));
    fc.assert(
      fc.property(
        pattern as fc.Arbitrary<string>,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') }),
        (source, text) => {
          const found = compileMatcher(parsePattern(source, '', characterOf))(text, 0);
          const wanted = new RegExp(source, 'u').exec(text);
          expect(found && [found.from, found.to]).to.deep.equal(
            wanted === null ? undefined : [wanted.index, wanted.index + wanted[0].length],
          );
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('gives up if a match takes too many steps', function () {
    this.timeout(180_000);
    const text = `${'a'.repeat(40)}b`;
    for (const pattern of [
      '^(a+)+$',
      '^(a|aa)+$',
      '(a*)*c',
      '(a?){40}a{40}c',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
    ]) {
      const regex = makeRegex(pattern);
      expect(regex.test(text), pattern).to.equal(false);
      expect(() => regex.find(`${text}b`.repeat(3)), pattern).to.throw(MatchLimit);
    }
  });

  it('matches a thousand strings, in few steps each', () => {
    const never: readonly [string, string][] = [
      ['^(a+)+$', `${'a'.repeat(40)}b`],
      ['^(a|aa)+$', `${'a'.repeat(40)}b`],
      ['^(?:(?:a*)*b?)*$', `${'a'.repeat(40)}c`],
      ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(40)],
    ];
    for (const [pattern, text] of never) {
      const steps = compileMatcher(parsePattern(pattern, '', characterOf));
      for (let i = 0; i < 1000; i++) expect(steps(text, 0, true), pattern).to.equal(undefined);
      expect(() => steps(text, 0), pattern).to.throw(MatchLimit);
    }
  });

  it('returns the same with and without memoizing dead ends', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PATTERNS), fc.stringMatching(/^[abc\n]{0,12}$/), (pattern, text) => {
        const find = compileMatcher(parsePattern(pattern, '', characterOf));
        expect(find(text, 0, true)).to.deep.equal(find(text, 0));
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects invalid patterns, and patterns that are too long', () => {
    for (const pattern of ['(', ')', '[a', '*', 'a{2,1}', '\\', 'a**b', '(?<n', '\\8', 'a'.repeat(32_765)])
      if (pattern !== 'a**b')
        expect(
          codeOf(() => makeRegex(pattern)),
          pattern.slice(0, 9),
        ).to.equal(51091);
    expect(codeOf(() => makeRegex('a', 'y'))).to.equal(51108);
    expect(codeOf(() => makeRegex('a\0'))).to.equal(2);
    expect(makeRegex('a'.repeat(32_764)).test('a')).to.equal(false);
  });
});
