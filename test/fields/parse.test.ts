import { expect } from 'chai';
import { parseFields } from '../../src/query/parse/fields.js';

const invalid = 'Invalid fields parameter. Expected a string or an array of strings';

describe('query/parse/fields', () => {
  const read: readonly (readonly [unknown, readonly string[] | null])[] = [
    [undefined, null],
    [null, null],
    ['a, b', ['a', 'b']],
    [['a', null], ['a']],
    [[null], []],
    ['a,', ['a', '']],
  ];
  for (const [raw, names] of read)
    it(JSON.stringify(raw) ?? 'absent', () => expect(parseFields(raw)?.names ?? null).deep.equal(names));

  for (const raw of ['', 5, { a: '1' }, ['a', 5], [['a']], ['a,b', 'c']])
    it(`refuses ${JSON.stringify(raw)}`, () => expect(() => parseFields(raw)).throw(invalid));
});
