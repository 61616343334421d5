import { createHash } from 'node:crypto';
import type { Grants } from '../../query/read-plan.js';
import type { ApiToken } from './identity.js';

/**
 * Compiles a set of actions. Its version is derived from its content, so that equal sets share cached plans.
 */
export const compileGrants = (actions: Iterable<string>): Grants => {
  const held = new Set(actions);
  const version = createHash('sha1')
    .update([...held].sort().join('\n'))
    .digest('base64url');
  return { version, allows: (action) => held.has(action) };
};

/** Every action, for full-access tokens. */
export const ALL_GRANTS: Grants = { version: 'full', allows: () => true };

/** `find` and `findOne` of everything, for read-only tokens. */
export const READ_ONLY: Grants = { version: 'read', allows: (action) => /\.find(One)?$/.test(action) };

/** Deny by default: the grants of a role that does not exist. */
export const NOTHING: Grants = compileGrants([]);

/** The grants of an API token. */
export const grantsOfToken = (token: ApiToken): Grants => {
  switch (token.type) {
    case 'full-access':
      return ALL_GRANTS;
    case 'read-only':
      return READ_ONLY;
    case 'custom':
      return compileGrants(token.permissions);
  }
};
