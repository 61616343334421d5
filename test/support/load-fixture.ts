import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Access } from '../../src/access/index.js';
import type { Documents } from '../../src/documents/types.js';
import { collectionName } from '../../src/schema/stored/collections.js';
import type { ContentType, Schema } from '../../src/schema/types.js';
import type { Store } from '../../src/store/client.js';
import { type FixtureFile, insertFile } from './fixture-media.js';

/** The symbols of the corpus and their values, in the form of `seed-map.*.json`. */
export interface SymbolMap {
  docs: Record<string, { uid: string; documentId: string; ids: Record<string, number> }>;
  media: Record<string, { id: number; documentId: string }>;
  users: Record<string, { id: number; documentId: string; username: string; email: string }>;
  roles: Record<string, { id: number; documentId: string }>;
  tokens: Record<string, string>;
  passwords: Record<string, string>;
}

export interface FixtureTarget {
  readonly store: Store;
  readonly schema: Schema;
  readonly documents: Documents;
  readonly access: Access;
  /** The folder `test/conformance/fixture`. */
  readonly folder: string;
  /** Stores a file with its bytes; without it only its row is written. */
  readonly upload?: (file: FixtureFile, path: string) => Promise<{ id: number; documentId: string }>;
}

interface Operation {
  readonly op: 'create' | 'update' | 'publish' | 'unpublish' | 'discardDraft' | 'delete';
  readonly uid: string;
  readonly ref: string;
  readonly locale?: string;
  readonly status?: string;
  readonly data?: unknown;
}

/**
 * Loads the fixture's seed into an empty database (test/conformance/README.md, "Loading the seed") and returns the
 * values of its symbols.
 */
export async function loadFixture(target: FixtureTarget): Promise<SymbolMap> {
  const map: SymbolMap = { docs: {}, media: {}, users: {}, roles: {}, tokens: {}, passwords: {} };
  const seed = async <T>(name: string): Promise<T> =>
    JSON.parse(await readFile(join(target.folder, 'seed', `${name}.json`), 'utf8')) as T;
  const media = join(target.folder, 'seed', 'media');
  for (const [at, file] of (await seed<FixtureFile[]>('media')).entries())
    map.media[file.ref] = target.upload
      ? await target.upload(file, join(media, file.file))
      : { id: at + 1, documentId: await insertFile(target.store, media, file, at + 1) };
  for (const operation of await seed<Operation[]>('entries')) await apply(target, map, operation);
  for (const [ref, document] of Object.entries(map.docs)) await noteIds(target, map, ref, document.uid);
  await loadAccess(target, map, seed);
  return map;
}

async function apply({ documents }: FixtureTarget, map: SymbolMap, operation: Operation): Promise<void> {
  const { op, uid, ref, locale, status } = operation;
  const service = documents(uid);
  const data = expand(map, operation.data ?? {});
  if (op === 'create') {
    const made = await service.create({ data, locale, status });
    map.docs[ref] = { uid, documentId: String(made['documentId']), ids: {} };
    return;
  }
  const documentId = map.docs[ref]?.documentId ?? '';
  if (op === 'update') await service.update({ documentId, data, locale, status });
  else await service[op]?.({ documentId, locale });
}

/** `{"$doc": REF, …}` is a documentId or an object with one, `{"$media": REF}` a file's numeric id. */
function expand(map: SymbolMap, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => expand(map, member));
  if (typeof value !== 'object' || value === null) return value;
  if ('$media' in value) return map.media[String(value.$media)]?.id;
  if ('$doc' in value) {
    const { $doc, ...more } = value;
    const documentId = map.docs[String($doc)]?.documentId;
    return Object.keys(more).length > 0 ? { documentId, ...(expand(map, more) as object) } : documentId;
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, expand(map, member)]));
}

/**
 * Records the numeric ids of a document's entries: `draft`, `published` or `id`, with `:locale` if the type is
 * localized.
 */
async function noteIds(target: FixtureTarget, map: SymbolMap, ref: string, uid: string): Promise<void> {
  const document = map.docs[ref];
  const type = target.schema.contentTypes.get(uid) as ContentType;
  if (!document) return;
  for (const status of type.draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const)) {
    const entries = await target.store.db
      .collection(collectionName(type, status))
      .find({ documentId: document.documentId }, { projection: { id: 1, locale: 1 } })
      .toArray();
    const version = type.draftAndPublish ? status : 'id';
    for (const { id, locale } of entries)
      document.ids[type.localized ? `${version}:${locale}` : version] = Number(id);
  }
}

interface SeedRole {
  readonly type: string;
  readonly name?: string;
  readonly description?: string;
  readonly permissions: string[];
}
interface SeedUser {
  readonly ref: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly role: string;
  readonly confirmed: boolean;
  readonly blocked: boolean;
}
interface SeedToken {
  readonly name: string;
  readonly type: 'full-access' | 'read-only' | 'custom';
  readonly accessKey: string;
  readonly permissions?: string[];
  readonly expiresAt?: string;
}

async function loadAccess(
  { access: { users, roles, tokens } }: FixtureTarget,
  map: SymbolMap,
  seed: <T>(name: string) => Promise<T>,
): Promise<void> {
  for (const { permissions, ...made } of await seed<SeedRole[]>('roles')) {
    const known = await roles.byType(made.type);
    if (known) await roles.change(known.role, { grants: permissions });
    const role = known?.role ?? (await roles.create({ ...made, grants: permissions }));
    map.roles[made.type] = { id: role.id, documentId: role.documentId };
  }
  for (const { ref, role, ...account } of await seed<SeedUser[]>('users')) {
    const { id, documentId, username, email } = await users.make({
      ...account,
      role: map.roles[role]?.documentId ?? null,
    });
    map.users[ref] = { id, documentId, username, email };
    map.passwords[ref] = account.password;
  }
  for (const { expiresAt, ...token } of await seed<SeedToken[]>('tokens')) {
    await tokens.create({ ...token, ...(expiresAt && { expiresAt: new Date(expiresAt) }) });
    map.tokens[token.name] = token.accessKey;
  }
}
