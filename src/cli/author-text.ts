import type { Author } from '../store/outbox/outbox.js';

/** Who made a change, as text; empty if it is not known. */
export const authorText = (by: Author | undefined): string => {
  if (by === undefined) return '';
  return 'name' in by ? `${by.kind} ${by.name}` : 'id' in by ? `${by.kind} ${by.id}` : by.kind;
};
