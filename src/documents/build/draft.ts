import { ObjectId } from 'bson';
import { errors } from '../../errors.js';
import type { Changes, Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import { COMPONENT_IDS, type DocumentsContext, type Source } from '../context.js';
import { collectTargets } from '../plan/collect.js';
import { writeInverse } from '../relations/inverse.js';
import { enforceOneToOne, withTouched } from '../relations/sync.js';
import { checkAllowedFiles } from '../resolve/allowed-files.js';
import { type Resolved, resolveTargets } from '../resolve/targets.js';
import { findTakenInComponents } from '../resolve/unique.js';
import { checkData, modeOf } from '../validate/check.js';
import { countItems } from './copy.js';
import { type BuildTools, buildFields } from './fields.js';
import { inheritFrom } from './inherit-values.js';
import { hashPasswords } from './passwords.js';

/** What create and update have to say about the version that they write first: the draft, or a type's only version. */
export interface DraftWrite {
  readonly source: Source;
  readonly data: unknown;
  readonly action: 'create' | 'update';
  /** The stored version in this locale; null: a new one. */
  readonly stored: Entry | null;
  /** What a new version starts from: the shared attributes of another locale, or the draft that is cloned. */
  readonly shared: Entry;
}

/** Checks and builds the version to write and adds it, and what its relations change elsewhere, to `changes`. Returns it. */
export async function writeDraft(
  context: DocumentsContext,
  changes: Changes,
  { source, data: given, action, stored, shared }: DraftWrite,
): Promise<Entry> {
  const { schema, sequences } = context;
  const { type } = source;
  const data = isEntry(given) ? { ...shared, ...given } : given;
  const own = isEntry(given) ? given : {};
  const resolved = await resolveTargets(context, source, collectTargets(schema, type, own));
  const checked = await checkData(
    context,
    source,
    data,
    { mode: modeOf(type), action, partial: stored !== null },
    resolved.missing,
  );
  if (!type.draftAndPublish) await refuseTaken(context, source, checked);

  const collection = collectionName(type, 'draft');
  const [id = 0] = stored ? [Number(stored['id'])] : await sequences.take(type.uid, 1);
  const tools = await buildTools(context, source, { checked, stored, id, resolved });
  const base = stored ?? inheritFrom(schema, type, shared, own, tools.order, tools.nextId);
  const written = Object.fromEntries(
    Object.entries(checked).filter(([name]) => stored !== null || base[name] === undefined),
  );
  await hashPasswords(schema, type, written);
  const now = new Date();
  const head: Entry = {
    _id: stored?.['_id'] ?? new ObjectId(),
    id,
    documentId: source.documentId,
    locale: source.locale,
    createdAt: stored?.['createdAt'] ?? now,
    updatedAt: now,
    publishedAt: type.draftAndPublish ? null : now,
  };
  const entry = { ...kept(type, stored), ...head, ...buildFields(type, written, base, tools) };
  await checkAllowedFiles(context, type, entry, (name) => written[name] !== undefined);
  if (stored) changes.replace(collection, stored, entry);
  else changes.insert(collection, entry);

  await enforceOneToOne(context, changes, source, collection, entry, stored);
  const touched = await writeInverse(context, changes, source, own, resolved);
  const draft = withTouched(changes.current(collection, entry) ?? entry, touched);
  changes.replace(collection, entry, draft);
  return draft;
}

/** Throws a 400 for unique values inside components that are taken; the index watches over the others. */
export async function refuseTaken(context: DocumentsContext, source: Source, entry: Entry): Promise<void> {
  const taken = await findTakenInComponents(context, source, entry);
  if (taken.length > 0) throw errors.fields(taken);
}

interface ToBuild {
  readonly checked: Entry;
  readonly stored: Entry | null;
  readonly id: number;
  readonly resolved: Resolved;
}

/** Ids are fetched before building, which is pure: one for each item that the data holds. */
async function buildTools(
  { schema, sequences, config }: DocumentsContext,
  { type }: Source,
  { checked, stored, id, resolved }: ToBuild,
): Promise<BuildTools> {
  const ids = await sequences.take(COMPONENT_IDS, countItems(schema, type, checked));
  // A new entry's own id is its number in inverse lists; later connections go to their ends.
  const [order = id] = stored && mayConnect(type, checked) ? await sequences.take(type.uid, 1) : [];
  return {
    schema,
    resolved,
    order,
    localized: type.localized,
    defaultLocale: config.plugins.i18n.defaultLocale,
    keepIds: stored !== null,
    nextId: () => ids.shift() ?? 0,
  };
}

const mayConnect = (type: Source['type'], checked: Entry): boolean =>
  [...type.attributes.values()].some(
    (attribute) =>
      attribute.kind === 'relation' && attribute.inversedBy !== null && checked[attribute.name] !== undefined,
  );

/**
 * What a stored version holds beside its content and that a write must not lose: creators, and fields that the schema does not
 * know, such as those of another program in an adopted collection or the grants of a role.
 */
function kept(type: Source['type'], stored: Entry | null): Entry {
  const others = Object.entries(stored ?? {}).filter(
    ([name]) =>
      name !== '_links' && (name === 'createdBy' || name === 'updatedBy' || !type.attributes.has(name)),
  );
  return Object.fromEntries(others);
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
