import type { Action, DocumentMiddleware } from '../../documents/middleware.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import { deleteSessions } from '../../store/access/sessions.js';
import { fillNameKeys, findUser, removeNameKey, updateUser } from '../../store/access/users.js';
import type { AccessDeps } from '../deps.js';
import { nameKey } from '../names.js';
import { NO_CODES } from './accounts.js';

/** The actions that change an account or a role; neither has drafts. */
const WRITES: readonly Action[] = ['create', 'update', 'delete', 'clone'];

interface Change {
  readonly documentId: string;
  /** Sets the password or address, or blocks the account. */
  readonly ends: boolean;
  readonly renames: boolean;
}

/** What a call of the Document Service changes in an account; null if it changes none. */
function changeOf(uid: string, action: Action, params: object): Change | null {
  if (uid !== USER_UID || action !== 'update' || !('documentId' in params) || !('data' in params))
    return null;
  const { documentId, data } = params;
  if (typeof documentId !== 'string' || typeof data !== 'object' || data === null) return null;
  const { username, password, email, blocked }: Readonly<Record<string, unknown>> = { ...data };
  const ends = password !== undefined || email !== undefined || blocked === true;
  return { documentId, ends, renames: username !== undefined };
}

/**
 * Handles changes that scripts make to accounts and roles through the Document Service: a new password ends
 * earlier sessions (see `changeAccount`), a new name is compared with others from then on, and all processes are notified of any change.
 */
export const watchContent = ({ documents, store, authCache }: AccessDeps): void => {
  const watch: DocumentMiddleware = async ({ uid, action, params }, next) => {
    const result = await next();
    const change = changeOf(uid, action, params);
    const user = change?.ends ? await findUser(store, { documentId: change.documentId }) : null;
    if (user) {
      await updateUser(store, user.id, NO_CODES, { ends: true });
      await deleteSessions(store, user.id);
    }
    if (change?.renames) await removeNameKey(store, change.documentId);
    if (uid === USER_UID) await fillNameKeys(store, nameKey);
    await authCache.changed();
    return result;
  };
  documents.use(watch, WRITES, [USER_UID, ROLE_UID]);
};
