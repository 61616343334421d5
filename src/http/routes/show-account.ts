import { answerOf, type Identity, type StoredUser } from '../../access/index.js';
import type { AppDeps } from '../deps.js';
import { showFields } from './show.js';

const ROLE_FIND = 'plugin::users-permissions.role.find';

type Parts = Pick<AppDeps, 'access' | 'documents'>;

/** An account as the project's code left it in the answer of its write; null: no code has seen it. */
export function showAnswered(identity: Identity, user: StoredUser, { access, documents }: Parts): unknown {
  const answer = answerOf(user);
  const show = documents.showing();
  return answer && show ? show(answer, access.userType, identity) : null;
}

/** An account that was written, with its role if the caller may see roles. */
export async function showWritten(identity: Identity, user: StoredUser, parts: Parts): Promise<unknown> {
  const answered = showAnswered(identity, user, parts);
  if (answered) return answered;
  const { roles, userType, roleType } = parts.access;
  const entry = user.role === null ? null : await roles.byDocument(user.role);
  const shown = showFields(userType, user);
  if (!identity.grants.allows(ROLE_FIND)) return shown;
  return { ...shown, role: entry && showFields(roleType, entry.role) };
}
