/** Entity tags in `If-Match` and `If-None-Match` (RFC 9110, 8.8.3 and 13.1). */
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { preconditionOf, readTags, tagsOfClient } from '../../src/http/conditional/entity-tags.js';

describe('If-Match and If-None-Match', () => {
  const matches = (header: string): string => {
    const { match } = preconditionOf({ 'if-match': header }) ?? {};
    return typeof match === 'string' ? match : [...(match ?? [])].join(' ');
  };
  const rows: [header: string, revisions: string][] = [
    ['*', '*'],
    [' * ', '*'],
    ['"a-1"', 'a'],
    ['"a"', 'a'],
    ['"a-b-1"', 'a-b'],
    ['"a-1", "b-2"', 'a b'],
    ['"a-1","b-2",', 'a b'],
    ['  , "a,b-1" ,\t"c-1"  ', 'a,b c'],
    ['""', ''],
    ['W/"a-1"', ''],
    ['W/"a-1", "b-1"', 'b'],
  ];
  for (const [header, revisions] of rows)
    it(`If-Match: ${header} names ${revisions || 'no revision'}`, () =>
      expect(matches(header)).to.equal(revisions));

  for (const header of [
    '',
    ' ',
    ',',
    'a',
    '"a',
    'a"',
    '"a" "b"',
    '"a b"',
    'w/"a"',
    'W/ "a"',
    '*, "a"',
    '"a", *',
    '"é',
    '"a\u0007"',
  ])
    for (const name of ['If-Match', 'If-None-Match'] as const)
      it(`${name}: ${JSON.stringify(header)} is malformed`, () => {
        const key = name === 'If-Match' ? 'if-match' : 'if-none-match';
        expect(() => readTags(name, { [key]: header }))
          .to.throw(ApiError, `Invalid ${name} header`)
          .with.property('code', 'precondition-malformed');
      });

  it('is not there if it is not sent', () => {
    expect(preconditionOf({})).to.equal(null);
    expect(readTags('If-None-Match', { 'if-match': '*' })).to.equal(null);
  });

  it('If-None-Match is compared weakly', () => {
    const hasTag = tagsOfClient({ 'if-none-match': 'W/"a-1", "b-2"' });
    expect(['"a-1"', '"b-2"', '"a-2"'].map((tag) => hasTag?.(tag))).to.eql([true, true, false]);
    expect(tagsOfClient({ 'if-none-match': '*' })?.('"any"')).to.equal(true);
  });

  it('a long header takes time in proportion to its length', () => {
    for (const header of [`${'W/"a", '.repeat(200_000)}"`, `"a",${' '.repeat(1_000_000)}x`])
      expect(() => readTags('If-Match', { 'if-match': header })).to.throw(ApiError);
  });
});
