import type { Entry } from '../../store/entries/changes.js';

/**
 * Owners that a draft changed, by inverse attribute: what its publication has to repeat on their published entries. Noted in the
 * draft until then.
 */
export type PendingInverse = Readonly<Record<string, readonly string[]>>;

const FIELD = '_pendingInverse';
/** What the field was called before. */
const FORMER = '_touched';

/** The owners noted in a draft by the writes since its last publication. */
export function pendingInverseOf(draft: Entry): PendingInverse {
  const pending = draft[FIELD] ?? draft[FORMER];
  return typeof pending === 'object' && pending !== null ? (pending as PendingInverse) : {};
}

export function withoutPendingInverse(entry: Entry): Entry {
  const { [FIELD]: _pending, [FORMER]: _former, ...rest } = entry;
  return rest;
}

/** `entry` with more owners noted. */
export function withPendingInverse(entry: Entry, changed: PendingInverse): Entry {
  const all: Record<string, readonly string[]> = { ...pendingInverseOf(entry) };
  for (const [name, owners] of Object.entries(changed))
    all[name] = [...new Set([...(all[name] ?? []), ...owners])];
  const rest = withoutPendingInverse(entry);
  return Object.values(all).some((owners) => owners.length > 0) ? { ...rest, [FIELD]: all } : rest;
}
