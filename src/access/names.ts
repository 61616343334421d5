/** Names of accounts: which there may be, and when two are one and the same to a person. */

/** Small letters that look like Latin ones, in small or in capitals, by the Latin one (Unicode, UTS 39, the confusables in use). */
const LOOK: Readonly<Record<string, string>> = {
  a: 'аα',
  b: 'вβ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еε',
  h: 'нһη',
  i: 'іι',
  j: 'јϳ',
  k: 'кκ',
  l: 'ӏ',
  m: 'мμ',
  n: 'ν',
  o: 'оο',
  p: 'рρ',
  q: 'ԛ',
  s: 'ѕ',
  t: 'тτ',
  u: 'υ',
  w: 'ԝω',
  x: 'хχ',
  y: 'уү',
  z: 'ζ',
};
const LATIN = new Map(
  Object.entries(LOOK).flatMap(([latin, others]) => [...others].map((one) => [one, latin])),
);

/** What a name that is written in another script altogether looks like in Latin letters; null where it could not pass for that. */
const latinLook = (key: string): string | null => {
  const letters = [...key];
  const passes = letters.every((letter) => LATIN.has(letter) || !/\p{L}/u.test(letter));
  return passes ? letters.map((letter) => LATIN.get(letter) ?? letter).join('') : null;
};

/** What a name is compared by: case, width, composition and letters that look the same make no difference. */
export const nameKey = (name: string): string => {
  const key = name.normalize('NFKC').toLowerCase().trim();
  return latinLook(key) ?? key;
};

/** Control and format characters, separators other than a space, and letters that take no room. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^\s|\s$/u;

/** Scripts whose letters look like each other's. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/** Whether a name could pass for another: invisible characters, spaces around it, or letters of scripts that look alike. */
export const isDeceptive = (name: string): boolean =>
  INVISIBLE.test(name) || LOOKALIKES.filter((script) => script.test(name)).length > 1;
