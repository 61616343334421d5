import { hashCode } from '../access/index.js';
import type { ContentType } from '../schema/types.js';
import { ROLE_UID, USER_UID } from '../schema/uids.js';
import type { Entry } from '../store/entries/changes.js';
import { findRoles } from '../store/transfer/import-entries.js';
import type { Import } from './context.js';
import type { GrantRow } from './rows.js';
import type { SourceEntry } from './types.js';

const CODES = ['resetPasswordToken', 'confirmationToken'] as const;
const HASHED = /^[0-9a-f]{64}$/;

/** Strapi keeps mailed codes as they are, Mangrove their hashes: what was mailed still works. Addresses are in lower case. */
export function asAccount({ uid }: ContentType, entry: Entry): Entry {
  if (uid !== USER_UID) return entry;
  const hashed = CODES.flatMap((name) => {
    const code = entry[name];
    return typeof code === 'string' && code !== '' && !HASHED.test(code) ? [[name, hashCode(code)]] : [];
  });
  const { email } = entry;
  return {
    ...entry,
    ...Object.fromEntries(hashed),
    ...(typeof email === 'string' && { email: email.toLowerCase() }),
  };
}

/** What a role may do, beside its attributes. In mode `merge` it also keeps what it could do before. */
export async function withGrants(
  { staging, store, mode }: Import,
  entries: readonly SourceEntry[],
): Promise<(entry: SourceEntry) => Entry> {
  const roles = entries.filter(({ uid }) => uid === ROLE_UID);
  if (roles.length === 0) return () => ({});
  const refs = roles.map(({ ref }) => ref);
  const grants = await staging.findBy<GrantRow>('grants', 'role', refs);
  const types = roles.map(({ data }) => String(data['type']));
  const known = mode === 'merge' ? await findRoles(store.db, types) : new Map<string, readonly string[]>();
  return ({ uid, ref, data }) => {
    if (uid !== ROLE_UID) return {};
    const own = grants.filter(({ role }) => role === ref).map(({ action }) => action);
    return { grants: [...new Set([...(known.get(String(data['type'])) ?? []), ...own])].sort() };
  };
}
