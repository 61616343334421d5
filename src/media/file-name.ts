import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { errors } from '../errors.js';

/** Letters that have no plain base letter, or are conventionally written as two. */
const LETTERS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  Ä: 'Ae',
  Ö: 'Oe',
  Ü: 'Ue',
  ß: 'ss',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  å: 'a',
  Å: 'A',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'TH',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  ı: 'i',
};
/** Characters with a special meaning to file systems or browsers. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}]/u;

/** The letters and digits of a name, joined by `_`; `file` if there are none. */
const slugOf = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\P{ASCII}/gu, (letter) => LETTERS[letter] ?? letter.normalize('NFKD'))
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100) || 'file';

/** The extension with its dot, as given; empty unless it consists of plain letters and digits. */
export const endingOf = (name: string): string => {
  const ending = extname(name);
  return /^\.[A-Za-z0-9]{1,16}$/.test(ending) ? ending : '';
};

/**
 * The stem of a file's key: its name, made unique (rules I.2). @example hashOf('Ein Bild.png') //
 * Ein_Bild_9237a6339d
 */
export const hashOf = (name: string): string =>
  `${slugOf(name.slice(0, name.length - endingOf(name).length))}_${randomBytes(5).toString('hex')}`;

/** Throws a 400 for an invalid file name. */
export const checkFileName = (name: string): void => {
  if (name === '' || name === '.' || name === '..' || name.length > 255 || FORBIDDEN.test(name))
    throw errors.application('file-name-invalid', 'File name contains invalid characters');
};
