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

/** Characters, as on most file systems. */
const MAX_LENGTH = 255;

/** The letters and digits of a name, joined by `_`; `file` if there are none. */
const slugOf = (name: string): string =>
  name
    .slice(0, MAX_LENGTH)
    .normalize('NFC')
    .replace(/\P{ASCII}/gu, (letter) => LETTERS[letter] ?? letter.normalize('NFKD'))
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100) || 'file';

/** The extension with its dot, as given; empty unless it consists of plain letters and digits. */
export const extensionOf = (name: string): string => {
  const extension = extname(name);
  return /^\.[A-Za-z0-9]{1,16}$/.test(extension) ? extension : '';
};

/** The stem of a file's key: its name, made unique. @example hashOf('Ein Bild.png') // Ein_Bild_9237a6339d */
export const hashOf = (name: string): string =>
  `${slugOf(name.slice(0, name.length - extensionOf(name).length))}_${randomBytes(5).toString('hex')}`;

const invalid = () => errors.application('file-name-invalid', 'File name contains invalid characters');

/** The name in composed form. Throws a 400 if it is invalid. */
export const checkFileName = (given: string): string => {
  // Before it is normalized, which takes time that grows with the square of the length.
  if (given.length > 2 * MAX_LENGTH) throw invalid();
  const name = given.normalize();
  if (name === '' || name === '.' || name === '..' || name.length > MAX_LENGTH || FORBIDDEN.test(name))
    throw invalid();
  return name;
};
