import type { Caller, Grants } from '../query/read-plan.js';

export type TokenType = 'read-only' | 'full-access' | 'custom';

/** An API token as it is kept: the key itself is never stored (rules H.2). */
export interface ApiToken {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly type: TokenType;
  /** HMAC-SHA512 of the key, hex. */
  readonly accessKey: string;
  /** Actions of a `custom` token. */
  readonly permissions: readonly string[];
  /** Milliseconds from creation; null: no end. */
  readonly lifespan: number | null;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Who asks. Its `grants` make it a `Caller` for the query rooms. */
export type Identity = Caller & { readonly grants: Grants } & (
    | { readonly kind: 'public' }
    | { readonly kind: 'token'; readonly token: ApiToken }
    | { readonly kind: 'user'; readonly userId: number; readonly session: string | null }
  );
