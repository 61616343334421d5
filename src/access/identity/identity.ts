import type { Caller, Grants } from '../../query/read-plan.js';
import type { StoredToken } from '../../store/access/tokens.js';

export type TokenType = StoredToken['type'];

/** An API token as stored, without the key itself. */
export type ApiToken = StoredToken;

/** The caller. With its `grants` it is a `Caller` for the query module. */
export type Identity = Caller & { readonly grants: Grants } & (
    | { readonly kind: 'public' }
    | { readonly kind: 'token'; readonly token: ApiToken }
    | {
        readonly kind: 'user';
        readonly userId: number;
        readonly role: string | null;
        readonly session: string | null;
      }
  );
