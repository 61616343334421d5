import { randomBytes } from 'node:crypto';

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
export const SIGNS = `${LETTERS}0123456789`;
export const LENGTH = 24;

/** A new documentId: 24 lower-case letters and digits, the first a letter. */
export function createDocumentId(): string {
  let id = '';
  while (id.length < LENGTH)
    for (const byte of randomBytes(LENGTH * 2)) {
      const signs = id.length === 0 ? LETTERS : SIGNS;
      // Skips the bytes that would favor the first characters.
      if (byte < 256 - (256 % signs.length) && id.length < LENGTH) id += signs[byte % signs.length];
    }
  return id;
}
