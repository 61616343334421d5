import { expect } from 'chai';
import fc from 'fast-check';
import {
  codePoints,
  codeUnits,
  fold,
  foldedUnits,
  indexOfText,
  splitText,
  TextSearch,
} from '../../src/values/text-search.js';

/** Texts in which every search meets many half matches. */
const repetitive = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'ä', '\u{1f600}'), maxLength });

describe('embedded/values: searching texts', () => {
  it('finds what indexOf finds', () => {
    fc.assert(
      fc.property(repetitive(40), repetitive(4), fc.nat(45), (text, part, from) => {
        const found = new TextSearch(codeUnits(part)).find(codeUnits(text), from);
        expect(found).to.equal(from > text.length ? -1 : text.indexOf(part, from));
      }),
      { numRuns: 3000 },
    );
  });

  it('counts code points', () => {
    fc.assert(
      fc.property(repetitive(20), (text) => {
        expect([...codePoints(text)]).to.deep.equal([...text].map((one) => one.codePointAt(0)));
      }),
    );
  });

  it('every place is offered, overlapping ones too', () => {
    const offered: number[] = [];
    const note = (at: number): boolean => {
      offered.push(at);
      return false;
    };
    expect(new TextSearch(codeUnits('aa')).find(codeUnits('aaabaa'), 0, note)).to.equal(-1);
    expect(offered).to.deep.equal([0, 1, 4]);
  });

  it('splits and finds long repetitive texts as JavaScript does', () => {
    const part = `${'a'.repeat(5000)}b${'a'.repeat(5000)}`;
    const text = `${'a'.repeat(9000)}x${part}${part}${'a'.repeat(3000)}`;
    expect(splitText(text, part)).to.deep.equal(text.split(part));
    expect(indexOfText(text, part)).to.equal(text.indexOf(part));
  });

  it('folds each character to what regular expressions consider equal, and no others', () => {
    const cased: string[] = [];
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const character = String.fromCodePoint(point);
      if (character.toLowerCase() !== character || character.toUpperCase() !== character)
        cased.push(character);
    }
    const all = cased.join('');
    const classes = new Map<string, string[]>();
    for (const character of cased) {
      const folded = fold(character);
      expect(folded).to.have.length(character.length);
      expect([...foldedUnits(character)]).to.deep.equal([...codeUnits(folded)]);
      classes.set(folded, [...(classes.get(folded) ?? []), character]);
    }
    for (const same of classes.values())
      for (const character of same) expect(all.match(new RegExp(character, 'giu'))).to.deep.equal(same);
  }).timeout(60_000);
});
