import type { ErrorCode, RefusalGroup } from '../../../error-codes.js';
import type { Describing } from '../describing.js';
import type { Answer, Body, Credential, Parameter } from '../types.js';

/** One of the routes that every server has. */
export interface BuiltIn {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly groups?: readonly RefusalGroup[];
  readonly codes?: readonly ErrorCode[];
  readonly credentials?: readonly Credential[];
  /** Without a credential nobody gets an answer. */
  readonly signedIn?: true;
  /** What of the frame it passes; all of it if absent. */
  readonly frame?: readonly RefusalGroup[];
  /** The way to a credential, which nobody needs one for. */
  readonly signedOut?: true;
}

/** Those of one tag. */
export const opOf =
  (tag: string) =>
  (id: string, summary: string, more: Pick<BuiltIn, 'answers'> & Partial<BuiltIn>): BuiltIn => ({
    id,
    tag,
    summary,
    ...more,
  });

/** By method and path below the prefix, as the route tables have them: `POST /auth/local`. */
export type BuiltInTable = Readonly<Record<string, (describing: Describing) => BuiltIn>>;
