import { USER_UID } from '../../schema/uids.js';
import { findUser, putBackUser, type StoredUser } from '../../store/access/users.js';
import { isObject, objectAt, objectsIn, type PlainObject } from '../../values/plain-object.js';
import type { AuthBody } from '../body.js';
import type { AccessDeps } from '../deps.js';

interface AccountCall {
  readonly action: 'create' | 'update' | 'delete';
  /** Of the account that is changed or removed. */
  readonly documentId?: string;
  readonly data?: AuthBody;
}

/** What such a call has answered, by the account that it has written. */
const answers = new WeakMap<StoredUser, PlainObject>();

/** An account as the project's code left it in the answer of the call that wrote it; null: no code has seen it. */
export const answerOf = (written: StoredUser): PlainObject | null => answers.get(written) ?? null;

/**
 * Writes an account as the call of the Document Service that it is in Strapi: a project's lifecycles and document
 * middlewares are around it. `write` gets the data as they leave it, and must use the `deps` that it receives. As in
 * Strapi, a lifecycle that throws takes back what was written, but not a deletion, which is a query there.
 */
export async function asCall<T extends StoredUser | null>(
  deps: AccessDeps,
  { action, documentId, data = {} }: AccountCall,
  write: (deps: AccessDeps, data: AuthBody) => Promise<T>,
): Promise<T | null> {
  const { documents, store, authCache } = deps;
  if (!documents.isAround(USER_UID, action)) return write(deps, data);
  // Code that runs before may write, too.
  deps.begin();
  let written: T | null = null;
  let before: StoredUser | null = null;
  const isDeletion = action === 'delete';
  const params = {
    ...(documentId !== undefined && { documentId }),
    ...(!isDeletion && { data: { ...data } }),
    populate: ['role'],
  };
  const answer = await documents.around(USER_UID, action, params, {
    async run(changed, unwrapped) {
      const accounts = unwrapped(USER_UID);
      if (documentId !== undefined) before = await findUser(store, { documentId });
      const removed = isDeletion && documentId !== undefined ? await accounts.findOne({ documentId }) : null;
      written = await write({ ...deps, documents: unwrapped }, objectAt(changed, 'data'));
      if (isDeletion) return { documentId, entries: removed ? [removed] : [] };
      return written && accounts.findOne({ documentId: written.documentId, populate: ['role'] });
    },
    ...(!isDeletion && {
      async undo() {
        if (!written) return;
        await putBackUser(store, before, written);
        await authCache.changed();
      },
    }),
  });
  const shown = isDeletion ? objectsIn(objectAt(answer)['entries'])[0] : answer;
  if (written && isObject(shown)) answers.set(written, shown);
  return written;
}
