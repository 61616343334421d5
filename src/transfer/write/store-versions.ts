import { hashCode } from '../../access/index.js';
import { uniqueAttributes } from '../../schema/find.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import {
  type EntryHead,
  findHolder,
  findRoles,
  headsOf,
  storeEntries,
  storeOne,
} from '../../store/transfer/import-entries.js';
import { memberOf } from '../../values/once-per.js';
import { objectAt } from '../../values/plain-object.js';
import { type Import, writtenName } from '../run/context.js';
import { rowKey, type StagedRows } from '../run/rows.js';
import { entryTally } from '../run/state.js';
import { lost, moved, type SourceEntry } from '../source/types.js';
import { buildEntry } from './build.js';
import { countDisallowed } from './rules.js';
import type { BuildTools, VersionToBuild } from './tools.js';

const CODES = ['resetPasswordToken', 'confirmationToken'] as const;
const HASHED = /^[0-9a-f]{64}$/;

/**
 * Strapi stores emailed codes as plain text, Mangrove their hashes, so the codes remain valid. Email
 * addresses are stored in lower case.
 */
function asAccount({ uid }: ContentType, entry: Entry): Entry {
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

/** Adds the grants of a role; in mode `merge`, it also keeps the existing ones. */
async function withGrants(
  { staging, store, mode, report }: Import,
  entries: readonly SourceEntry[],
): Promise<(entry: SourceEntry) => Entry> {
  const roles = entries.filter(({ uid }) => uid === ROLE_UID);
  if (roles.length === 0) return () => ({});
  const refs = roles.map(({ ref }) => ref);
  const grants = await staging.findBy<StagedRows['grants']>('grants', 'role', refs);
  const types = roles.map(({ data }) => String(data['type']));
  const known = mode === 'merge' ? await findRoles(store.db, types) : new Map<string, readonly string[]>();
  return ({ uid, ref, data }) => {
    if (uid !== ROLE_UID) return {};
    const type = String(data['type']);
    const own = grants.filter(({ role }) => role === ref).map(({ action }) => action);
    const more = (known.get(type) ?? []).filter((action) => !own.includes(action));
    if (more.length > 0)
      report(moved('role', rowKey({ uid, ref }), `${type} already had, and keeps: ${more.join(', ')}`));
    return { grants: [...new Set([...more, ...own])].sort() };
  };
}

/** A version of an entry to be stored. */
export interface ToWrite {
  readonly entry: SourceEntry;
  readonly version: VersionToBuild;
  readonly collection: string;
  /** The stored entry that it replaces. */
  readonly head: EntryHead | null;
}

/** Builds and stores these versions, with one command per collection. */
export async function storeVersions(
  run: Import,
  wanted: readonly ToWrite[],
  tools: BuildTools,
): Promise<void> {
  const { state, store, dryRun } = run;
  const byCollection = new Map<string, { entries: Entry[]; stored: Set<unknown>; type: ContentType }>();
  const sources = wanted.map(({ entry }) => entry);
  const grants = await withGrants(run, sources);
  for (const { entry, version, collection, head } of wanted) {
    const made = buildEntry(tools, entry, version);
    const tally = entryTally(state, entry.uid);
    if (!made) {
      if (!version.copy) tally.leftOut += 1;
      continue;
    }
    if (!version.copy) tally.written += 1;
    const built = { ...asAccount(version.type, made), ...grants(entry), ...(head && { _id: head._id }) };
    countDisallowed(run, built, version);
    const { type } = version;
    const group = memberOf(byCollection, collection, () => ({ entries: [], stored: new Set(), type }));
    group.entries.push(built);
    if (head) group.stored.add(built['_id']);
  }
  if (dryRun) return;
  // Drafts last: others may delete a draft while it is the only version.
  const isDraft = (name: string, { type }: { readonly type: ContentType }): number =>
    Number(type.draftAndPublish && name === writtenName(run, collectionName(type, 'draft')));
  const groups = [...byCollection].sort(([a, left], [b, right]) => isDraft(a, left) - isDraft(b, right));
  for (const [collection, { entries, stored, type }] of groups)
    for (const refused of await storeEntries(store.db, collection, entries, stored))
      await storeWithout(run, { collection, type, stored: stored.has(refused['_id']) }, refused);
}

interface Refusal {
  readonly collection: string;
  readonly type: ContentType;
  readonly stored: boolean;
}

/** Stores an entry without a unique value that another one has; the value is kept beside it. */
async function storeWithout(
  { store, state, source, report }: Import,
  { collection, type, stored }: Refusal,
  entry: Entry,
): Promise<void> {
  const at = `${type.uid} ${String(entry['documentId'])}${entry['locale'] ? ` ${String(entry['locale'])}` : ''}`;
  let left = entry;
  let isStored = stored;
  // Others may have stored this version since it was looked for.
  const [head] = (await headsOf(store.db, collection, [String(entry['documentId'])])).filter(
    ({ locale }) => (locale ?? null) === (entry['locale'] ?? null),
  );
  if (head) {
    left = { ...left, _id: head._id };
    isStored = true;
    if (await storeOne(store.db, collection, left, true)) return;
  }
  for (const { name } of uniqueAttributes(type)) {
    const holder = (left[name] ?? null) === null ? null : await findHolder(store.db, collection, left, name);
    if (holder === null) continue;
    const { [name]: value } = left;
    const kept = { ...objectAt(left, source.extraFieldsKey), [name]: value };
    left = { ...left, [name]: null, [source.extraFieldsKey]: kept };
    const why = `${String(value)} is unique and used by ${holder}: stored without it`;
    report(moved('value', `${at} ${name}`, why));
  }
  if (await storeOne(store.db, collection, left, isStored)) return;
  const tally = entryTally(state, type.uid);
  tally.written -= 1;
  tally.leftOut += 1;
  report(lost('entry', at, `a unique index of ${collection} rejects it`));
}
