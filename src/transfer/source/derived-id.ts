import { createHash } from 'node:crypto';
import { LENGTH, LETTERS, SIGNS } from '../../documents/document-id.js';

/**
 * A documentId in the form of rules G.3 that is the same for the same names: content that has no documentIds keeps its own when it is
 * imported again.
 */
export function derivedId(...names: readonly (string | number | null)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(names)).digest();
  return [...bytes.subarray(0, LENGTH)]
    .map((byte, at) => (at === 0 ? LETTERS[byte % LETTERS.length] : SIGNS[byte % SIGNS.length]))
    .join('');
}
