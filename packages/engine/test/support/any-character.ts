import fc from 'fast-check';

/** Halves of pairs, which are no characters by themselves. */
const SURROGATES = { from: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

const characterAt = (place: number): string =>
  String.fromCodePoint(place < SURROGATES.from ? place : place + SURROGATES.count);

const placeOf = (text: unknown): number => {
  const point = String(text).codePointAt(0) ?? 0;
  const place = point < SURROGATES.from ? point : point - SURROGATES.count;
  if (characterAt(place) !== text) throw new Error('no character');
  return place;
};

/** As fast-check's own `unit: 'binary'`, which makes a map of all of them first: 80 MB, for the rest of the process. */
export const anyCharacter = fc.integer({ min: 0, max: LAST - SURROGATES.count }).map(characterAt, placeOf);
