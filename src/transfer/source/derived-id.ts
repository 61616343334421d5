import { createHash } from 'node:crypto';
import { LENGTH, LETTERS, SIGNS } from '../../documents/document-id.js';

/**
 * Derives a documentId, in Strapi's form, from names, so that content without documentIds gets the same ones
 * in each import.
 */
export function derivedId(...names: readonly (string | number | null)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(names)).digest();
  return [...bytes.subarray(0, LENGTH)]
    .map((byte, at) => (at === 0 ? LETTERS[byte % LETTERS.length] : SIGNS[byte % SIGNS.length]))
    .join('');
}
