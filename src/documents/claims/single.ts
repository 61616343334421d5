import { collectionName } from '../../schema/stored/collections.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import type { Entry } from '../../store/entries/changes.js';
import { CLAIMS } from '../../store/entries/claims.js';
import { idText } from '../../values/id-text.js';
import { keyText } from '../../values/json-form.js';
import type { BuildContext, ResolveContext } from '../context.js';

/**
 * `_id` of the claim for the document of a single type. Every write that creates an entry of a single type,
 * in any locale, also writes this claim.
 */
const singleClaim = (uid: string): string => `${uid}//document`;

/**
 * The documentId of a single type's document; null before the first write. The claim is read after the
 * entries, so that an entry created between the two reads is found by its claim.
 */
export async function singleDocument(
  write: ResolveContext & Pick<BuildContext, 'type'>,
): Promise<string | null> {
  if (write.type.storage) {
    const key = await write.adopted.firstKey(write.type);
    return key === undefined ? null : keyText(key);
  }
  const [entry] = await write.read(collectionName(write.type, 'draft'), {}, ['documentId']);
  if (entry) return String(entry['documentId']);
  const claim = await readClaim(write, write.type.uid);
  return claim ? String(claim['owner']) : null;
}

/**
 * Claims a single type for the document whose entry is created. Of two concurrent writes the second finds a
 * changed claim and is retried. A claim held by another document is a conflict too, unless `documentId` has
 * entries, which were then stored without Mangrove.
 */
export async function claimSingle(write: BuildContext, documentId: string): Promise<void> {
  const { type, changes, read } = write;
  const claim = await readClaim(write, type.uid);
  if (!claim) return changes.insert(CLAIMS, { _id: singleClaim(type.uid), owner: documentId });
  if (claim['owner'] !== documentId) {
    const [entry] = await read(collectionName(type, 'draft'), { documentId }, ['documentId']);
    if (!entry) throw new WriteConflict(CLAIMS);
  }
  changes.replace(CLAIMS, claim, { owner: documentId });
}

/** Removes the claim when the last entry of the document is deleted. */
export async function releaseSingle(write: BuildContext, gone: readonly Entry[]): Promise<void> {
  const { type, changes, read } = write;
  const left = await read(collectionName(type, 'draft'), {}, ['locale']);
  if (left.some(({ _id }) => !gone.some((entry) => idText(entry['_id']) === idText(_id)))) return;
  const claim = await readClaim(write, type.uid);
  if (claim) changes.remove(CLAIMS, claim);
}

async function readClaim({ read }: ResolveContext, uid: string): Promise<Entry | undefined> {
  const [claim] = await read(CLAIMS, { _id: singleClaim(uid) });
  return claim;
}
