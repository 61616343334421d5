/** Names of accounts: which are allowed, and which look the same to a person. */

/**
 * Lower-case letters that look like Latin ones in lower or upper case, by the Latin letter (from the
 * confusables of Unicode, UTS 39).
 */
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

/** The Latin look-alike of a name in another script; null if some letter has none. */
const latinLook = (key: string): string | null => {
  const letters = [...key];
  const passes = letters.every((letter) => LATIN.has(letter) || !/\p{L}/u.test(letter));
  return passes ? letters.map((letter) => LATIN.get(letter) ?? letter).join('') : null;
};

/** Characters of a name or address of an account. */
export const MAX_NAME = 255;

/**
 * The form in which names are compared: ignores case, width, composition and look-alike letters. Only as much
 * of a text is folded as a name may have: normalizing takes time that grows with the square of the length,
 * and some characters become eighteen.
 */
export const nameKey = (name: string): string => {
  const key = name.slice(0, MAX_NAME).normalize('NFKC').toLowerCase().trim();
  return latinLook(key) ?? key;
};

/** Control and format characters, separators other than a space, and invisible letters. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^\s|\s$/u;

/** Scripts with letters that look alike. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/**
 * Whether a name could pass for another: invisible characters, surrounding spaces, or letters of several
 * look-alike scripts.
 */
export const isDeceptive = (name: string): boolean =>
  INVISIBLE.test(name) || LOOKALIKES.filter((script) => script.test(name)).length > 1;
