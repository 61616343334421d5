/** Which changes may change an answer. Whatever else a change is about, the answer is not read again for it. */
import { typesMet } from '../documents/read/types-met.js';
import type { ReadPlan } from '../query/read-plan.js';
import { ROLE_UID, USER_UID } from '../schema/uids.js';
import type { Change } from '../store/outbox/read-changes.js';

/** What may change an answer. */
export interface Concern {
  /** Whether a change in the log may. */
  readonly concerns: (change: Pick<Change, 'uid' | 'documentId' | 'locale' | 'versions'>) => boolean;
  /** Something that is not in the log may. */
  readonly isTimed: boolean;
}

/**
 * Any change of a type that filters, sorts, populate and rules lead to; of the type itself, those of the locale, the
 * version and the document that are read. Not in the log are changes of accounts and roles, and what rules may name of
 * a caller: the time, and attributes of the account.
 * @param documentId null: a list, or the entry of a single type
 */
export function concernOf(plan: ReadPlan, documentId: string | null): Concern {
  const met = typesMet(plan);
  const { type, status, locale, publication } = plan;
  const isOfVersion = type.draftAndPublish && publication === null;
  const isTimed = plan.visible !== undefined || met.has(USER_UID) || met.has(ROLE_UID);
  const concerns: Concern['concerns'] = (change) => {
    if (met.has(change.uid)) return true;
    if (change.uid !== type.uid) return false;
    if (change.documentId === null) return true;
    if (documentId !== null && change.documentId !== documentId) return false;
    if (locale.kind === 'one' && change.locale !== null && change.locale !== locale.code) return false;
    const { versions } = change;
    return !isOfVersion || versions.length === 0 || versions.some((version) => version.status === status);
  };
  return { concerns, isTimed };
}
