import type { Action, DocumentMiddleware } from '../../documents/middleware.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import { deleteSessions } from '../../store/access/sessions.js';
import { fillNameKeys, findUser, updateUser } from '../../store/access/users.js';
import type { AccessDeps } from '../deps.js';
import { nameKey } from '../names.js';
import { NO_CODES } from './accounts.js';

/** The actions that change an account or a role; neither has drafts. */
const WRITES: readonly Action[] = ['create', 'update', 'delete', 'clone'];

/**
 * The documentId if a call of the Document Service sets the password or address of an account, or blocks it;
 * otherwise null.
 */
function withNewPassword(uid: string, action: Action, params: object): string | null {
  if (uid !== USER_UID || action !== 'update' || !('documentId' in params) || !('data' in params))
    return null;
  const { documentId, data } = params;
  if (typeof data !== 'object' || data === null) return null;
  const { password, email, blocked }: Readonly<Record<string, unknown>> = { ...data };
  const given = password !== undefined || email !== undefined || blocked === true;
  return given && typeof documentId === 'string' ? documentId : null;
}

/**
 * Handles changes that scripts make to accounts and roles through the Document Service: a new password ends
 * earlier sessions (see `changeAccount`), and all processes are notified of any change.
 */
export const watchContent = ({ documents, store, authCache }: AccessDeps): void => {
  const watch: DocumentMiddleware = async ({ uid, action, params }, next) => {
    const result = await next();
    const documentId = withNewPassword(uid, action, params);
    const user = documentId === null ? null : await findUser(store, { documentId });
    if (user) {
      await updateUser(store, user.id, { ...NO_CODES, passwordVersion: (user.passwordVersion ?? 0) + 1 });
      await deleteSessions(store, user.id);
    }
    if (uid === USER_UID) await fillNameKeys(store, nameKey);
    await authCache.changed();
    return result;
  };
  documents.use(watch, WRITES, [USER_UID, ROLE_UID]);
};
