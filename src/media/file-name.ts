import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { errors } from '../errors.js';

/** Letters that decompose into no plain letter, or by custom into two. */
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
/** Characters that file systems or browsers read as something else. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}]/u;

/** Letters and digits of a name, `_` between; `file` where it has none. */
const slugOf = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\P{ASCII}/gu, (letter) => LETTERS[letter] ?? letter.normalize('NFKD'))
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100) || 'file';

/** The ending with its dot, as given; empty where there is none that is plain letters and digits. */
export const endingOf = (name: string): string => {
  const ending = extname(name);
  return /^\.[A-Za-z0-9]{1,16}$/.test(ending) ? ending : '';
};

/** The first part of a file's key: from its name, made unique (rules I.2). @example hashOf('Ein Bild.png') // Ein_Bild_9237a6339d */
export const hashOf = (name: string): string =>
  `${slugOf(name.slice(0, name.length - endingOf(name).length))}_${randomBytes(5).toString('hex')}`;

/** Throws a 400 for a name that no file may have. */
export const checkFileName = (name: string): void => {
  if (name === '' || name === '.' || name === '..' || name.length > 255 || FORBIDDEN.test(name))
    throw errors.application('file-name-invalid', 'File name contains invalid characters');
};
