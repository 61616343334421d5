/**
 * The header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07) and what tells requests with it apart.
 * Pure.
 */
import { createHash } from 'node:crypto';
import type { Identity } from '../../access/index.js';
import { errors } from '../../errors.js';

/** A string as structured fields write it (RFC 9651). */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/;
/** What many clients send instead. Several headers arrive as one with commas. */
const BARE = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/;
const MAX_LENGTH = 255;
/** All callers without credentials share their keys, so these must not be guessed or chosen twice. */
const MIN_PUBLIC = 16;

/** The key in a header. Throws a 400 for anything else. */
export function readKey(header: string, { kind }: Pick<Identity, 'kind'>): string {
  const key = QUOTED.exec(header)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(header)?.[0];
  if (key === undefined || key.length > MAX_LENGTH)
    throw malformed(`Expected a quoted string of 1 to ${MAX_LENGTH} characters`);
  if (kind === 'public' && key.length < MIN_PUBLIC)
    throw malformed(`Without credentials, expected at least ${MIN_PUBLIC} characters`);
  return key;
}

const malformed = (expected: string) =>
  errors.validation('idempotency-key-malformed', `Invalid Idempotency-Key header. ${expected}`);

/** What a caller keeps from one request to the next. */
const callerOf = (identity: Identity): string => {
  if (identity.kind === 'user') return `user ${identity.userId}`;
  return identity.kind === 'token' ? `token ${identity.token.id}` : 'public';
};

const digest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

interface Asked {
  readonly method: string;
  readonly path: string;
}

/** Identifies a key: callers, routes and documents have keys of their own. */
export const keyId = (identity: Identity, { method, path }: Asked, key: string): string =>
  digest([callerOf(identity), method, path, key]);

interface Payload {
  readonly querystring: string;
  /** As parsed. */
  readonly body: unknown;
  /** `Strapi-Response-Format: v4`. */
  readonly v4: boolean;
}

/**
 * Identifies what is asked for under a key. `If-Match` is no part of it: a client that repeats a write may have seen its
 * effect meanwhile.
 */
export const fingerprintOf = ({ querystring, body, v4 }: Payload): string => digest([querystring, body, v4]);
