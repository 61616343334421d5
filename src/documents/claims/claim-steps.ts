import { ObjectId } from 'bson';
import { errors } from '../../errors.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import type { Entry, WriteStep } from '../../store/entries/changes.js';
import { CLAIMS, newClaim } from '../../store/entries/claims.js';
import type { CommitContext } from '../context.js';
import { versionsOf } from '../stored-versions.js';
import { type Claim, claimsOfKind, isUnchanged } from './claims-of.js';
import { claimKinds } from './kinds.js';
import { isHeld, takenErrors } from './taken.js';

/** The claims that a write takes and releases, by the claim's `_id`. */
interface ClaimDifference {
  readonly taken: ReadonlyMap<string, Claim>;
  readonly released: ReadonlyMap<string, Claim>;
}

/**
 * The changes of claims that follow from the changes of a write. The first attempt reads nothing: it inserts
 * what is taken and removes what is released, and if a stored claim differs, the commit fails with a
 * conflict. Later attempts read the claims first (see `settle`).
 */
export async function claimSteps(write: CommitContext): Promise<WriteStep[]> {
  const { taken, released } = differenceOf(write);
  if (taken.size + released.size === 0) return [];
  if (write.attempt > 1) return settle(write, { taken, released });
  const steps = [...taken].map(([id, { owner }]): WriteStep => {
    const former = released.get(id);
    const after = { ...claim(id, owner), _write: new ObjectId() };
    return step(id, former ? claim(id, former.owner) : null, after);
  });
  for (const [id, { owner }] of released) if (!taken.has(id)) steps.push(step(id, claim(id, owner), null));
  return steps;
}

const step = (id: string, before: Entry | null, after: Entry | null): WriteStep => ({
  collection: CLAIMS,
  id,
  before,
  after,
});

const claim = (id: string, owner: string): Entry => ({ ...newClaim(id, owner) });

/**
 * Compares with the stored claims. A claim is taken over if its document no longer has the claimed value,
 * because another program removed or changed the entry. Throws a 400 for a unique value that another document
 * has, and `WriteConflict` for a one-to-one target that another write took in the meantime.
 */
async function settle(write: CommitContext, { taken, released }: ClaimDifference): Promise<WriteStep[]> {
  const ids = [...new Set([...taken.keys(), ...released.keys()])];
  const stored = new Map((await write.read(CLAIMS, { _id: { $in: ids } })).map((row) => [row['_id'], row]));
  const steps: WriteStep[] = [];
  const refused: Claim[] = [];
  for (const [id, wanted] of taken) {
    const row = stored.get(id) ?? null;
    // A new revision each time: a process that takes over an abandoned claim compares the revision it read.
    const after = { ...claim(id, wanted.owner), _rev: `${wanted.owner} ${new ObjectId().toHexString()}` };
    if (row && row['owner'] !== wanted.owner && row['owner'] !== released.get(id)?.owner) {
      // A write in progress may have claimed the value before storing its entry.
      if (await write.writer.isUnderWay(CLAIMS, id)) throw new WriteConflict(CLAIMS);
      if (await isHeld(write, wanted, row['owner'])) {
        if (wanted.places.length === 0) throw new WriteConflict(CLAIMS);
        refused.push(wanted);
        continue;
      }
    }
    steps.push(step(id, row, after));
  }
  if (refused.length > 0) throw errors.fields(refused.flatMap(takenErrors));
  for (const [id, { owner }] of released) {
    const row = stored.get(id);
    if (row && row['owner'] === owner && !taken.has(id)) steps.push(step(id, row, null));
  }
  return steps;
}

function differenceOf({ schema, changes }: CommitContext): ClaimDifference {
  const taken = new Map<string, Claim>();
  const released = new Map<string, Claim>();
  const versions = versionsOf(schema);
  for (const { collection, before, after } of changes.steps()) {
    const version = versions.get(collection);
    // Adopted documents have no claims.
    if (!version || version.type.storage) continue;
    const kinds = claimKinds(schema, version.type).filter(
      (kind) => !before || !after || !isUnchanged(kind, before, after),
    );
    const claims = (entry: Entry | null) =>
      new Map(
        (entry ? kinds.flatMap((kind) => claimsOfKind(kind, { ...version, entry })) : []).map((own) => [
          own.id,
          own,
        ]),
      );
    const [had, has] = [claims(before), claims(after)];
    for (const [id, own] of has) if (!had.has(id)) taken.set(id, own);
    for (const [id, own] of had) if (!has.has(id)) released.set(id, own);
  }
  for (const [id, own] of taken)
    if (released.get(id)?.owner === own.owner) {
      taken.delete(id);
      released.delete(id);
    }
  return { taken, released };
}
