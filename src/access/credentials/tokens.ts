import type { Permission } from '../../config/types.js';
import { errors } from '../../errors.js';
import { deleteToken, insertToken, listTokens } from '../../store/access/tokens.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { type AccessDeps, nextId } from '../deps.js';
import type { ApiToken, TokenType } from '../identity/identity.js';
import { storedPermissions } from '../permissions.js';
import { hashApiKey, makeApiKey } from './api-key.js';

export interface NewToken {
  readonly name: string;
  readonly type: TokenType;
  readonly description?: string;
  /** Of a custom token, as `config/roles` writes them. Rules must have been checked (`checkPermissions`). */
  readonly permissions?: readonly Permission[];
  /** Milliseconds; null or absent: unlimited. */
  readonly lifespan?: number | null;
  /** For imports only: a given key and expiry. */
  readonly accessKey?: string;
  readonly expiresAt?: Date;
}

const nameTaken = (name: string) => errors.application('token-exists', `Token ${name} already exists`);

/**
 * Creates an API token. The key is only returned here: its hash is stored. Throws a 400 if the name is taken.
 */
export const createToken = async (
  deps: AccessDeps,
  made: NewToken,
): Promise<{ token: ApiToken; key: string }> => {
  const key = made.accessKey ?? makeApiKey();
  const now = new Date();
  const lifespan = made.lifespan ?? null;
  const { grants, rules } = storedPermissions(made.type === 'custom' ? (made.permissions ?? []) : []);
  const token: ApiToken = {
    id: await nextId(deps.sequences, 'mangrove.tokens'),
    name: made.name,
    description: made.description ?? '',
    type: made.type,
    accessKey: hashApiKey(key, deps.settings.apiTokenSalt),
    permissions: grants,
    ...(rules.length > 0 && { rules }),
    lifespan,
    expiresAt: made.expiresAt ?? (lifespan === null ? null : new Date(now.getTime() + lifespan)),
    lastUsedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  deps.begin();
  await insertToken(deps.store, token).catch((error: unknown) => {
    throw isDuplicateKey(error) ? nameTaken(made.name) : error;
  });
  return { token, key };
};

/** Throws a 400 if a token has this name. */
export const checkTokenName = async (deps: AccessDeps, name: string): Promise<void> => {
  if ((await listTokens(deps.store)).some((token) => token.name === name)) throw nameTaken(name);
};

/** Revokes a token, in all processes within five seconds. Returns false if there is none with that name. */
export const revokeToken = async (deps: AccessDeps, name: string): Promise<boolean> => {
  deps.begin();
  const gone = await deleteToken(deps.store, name);
  if (gone) await deps.authCache.changed();
  return gone;
};
