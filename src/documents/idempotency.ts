/** Writes under a key of their client, which are carried out once however often they are sent. */
import { errors } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import type { Changes } from '../store/entries/changes.js';
import { IDEMPOTENCY_KEYS, newIdempotencyKey, type Written } from '../store/entries/idempotency-keys.js';
import type { ResolveContext } from './context.js';

/** The key of a request. It belongs to the first write that is committed for it. */
export interface WriteKey {
  /** Identifies the caller, the route and the key. */
  readonly id: string;
  /** Identifies what is asked for. */
  readonly fingerprint: string;
  /** What that write has written, if it was committed for an earlier request: it is shown, and not written again. */
  readonly written: Written | null;
  isUsed: boolean;
}

/** Another request with the same key was committed first. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** The document that was written for the key of a request; null if there is none. Uses the key. */
export function writtenBefore(key: WriteKey | null | undefined): string | null {
  if (!key || key.isUsed || key.written === null || !('documentId' in key.written)) return null;
  key.isUsed = true;
  return key.written.documentId;
}

/**
 * Runs an attempt at a write, which gets its key to commit with `addKey`. Throws `KeyTaken` if it fails and the key
 * is stored: whatever it failed for may be the work of the other request.
 */
export async function underKey<T>(
  { read }: Pick<ResolveContext, 'read'>,
  key: WriteKey | null | undefined,
  attempt: (key: WriteKey | null) => Promise<T>,
): Promise<T> {
  if (!key || key.isUsed) return attempt(null);
  try {
    const result = await attempt(key);
    key.isUsed = true;
    return result;
  } catch (error) {
    const stored = await read(IDEMPOTENCY_KEYS, { _id: key.id }, ['_id']).catch(() => []);
    throw stored.length > 0 ? new KeyTaken() : error;
  }
}

/** Adds a key to what is committed with it. */
export const addKey = (changes: Changes, { id, fingerprint }: WriteKey, written: Written): void =>
  changes.insert(IDEMPOTENCY_KEYS, newIdempotencyKey({ _id: id, fingerprint }, written));

/** Throws a 400 for documents of other programs, whose writes have no commit that a key could be part of. */
export function checkKeySupported({ storage, collectionName }: ContentType): void {
  if (!storage) return;
  throw errors.validation(
    'idempotency-key-unsupported',
    `Documents of ${collectionName} are written in place: Idempotency-Key cannot be used`,
  );
}
