import type { ErrorCode, RefusalGroup } from '../../../error-codes.js';
import type { Describing } from '../describing.js';
import type { Credential, Parameter, RequestBody, ResponseDescription } from '../types.js';

/** A route that every server has. */
export interface BuiltIn {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly answers: Readonly<Record<number, ResponseDescription>>;
  readonly groups?: readonly RefusalGroup[];
  readonly codes?: readonly ErrorCode[];
  readonly credentials?: readonly Credential[];
  /** Requires a credential. */
  readonly signedIn?: true;
  /** The middleware that its requests pass; all of it if absent. */
  readonly frame?: readonly RefusalGroup[];
  /** Needs no credential, since it leads to one. */
  readonly signedOut?: true;
}

/** The routes of one tag. */
export const opOf =
  (tag: string) =>
  (id: string, summary: string, more: Pick<BuiltIn, 'answers'> & Partial<BuiltIn>): BuiltIn => ({
    id,
    tag,
    summary,
    ...more,
  });

/** By method and path below the prefix, as in the route tables: `POST /auth/local`. */
export type BuiltInTable = Readonly<Record<string, (describing: Describing) => BuiltIn>>;
