import { createHash } from 'node:crypto';

/** The same documentId for a name on every machine, so that the addresses in the README work: 24 of a–z and 0–9. */
export function documentId(kind: string, name: string): string {
  const digest = createHash('sha256').update(`${kind}/${name}`).digest();
  const letters = [...digest.subarray(0, 24)].map((byte) => (byte % 36).toString(36)).join('');
  return letters.replace(/^\d/, 'a');
}
