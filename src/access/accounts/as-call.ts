import { USER_UID } from '../../schema/uids.js';
import type { StoredUser } from '../../store/access/users.js';
import { objectAt } from '../../values/plain-object.js';
import type { AuthBody } from '../body.js';
import type { AccessDeps } from '../deps.js';

interface AccountCall {
  readonly action: 'create' | 'update' | 'delete';
  /** Of the account that is changed or removed. */
  readonly documentId?: string;
  readonly data?: AuthBody;
}

/**
 * Writes an account as the call of the Document Service that it is in Strapi: a project's lifecycles and document
 * middlewares are around it. `write` gets the data as they leave it, and must use the `deps` that it receives.
 */
export async function asCall<T extends StoredUser | null>(
  deps: AccessDeps,
  { action, documentId, data = {} }: AccountCall,
  write: (deps: AccessDeps, data: AuthBody) => Promise<T>,
): Promise<T | null> {
  const { documents } = deps;
  if (!documents.isAround(USER_UID, action)) return write(deps, data);
  // Code that runs before may write, too.
  deps.begin();
  let written: T | null = null;
  const params = {
    ...(documentId !== undefined && { documentId }),
    ...(action !== 'delete' && { data: { ...data } }),
    populate: ['role'],
  };
  await documents.around(USER_UID, action, params, async (changed, unwrapped) => {
    written = await write({ ...deps, documents: unwrapped }, objectAt(changed, 'data'));
    if (action === 'delete') return { documentId, entries: [] };
    return written && unwrapped(USER_UID).findOne({ documentId: written.documentId, populate: ['role'] });
  });
  return written;
}
