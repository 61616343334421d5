import { ObjectId } from 'bson';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import type { BuildContext, DocumentRef } from '../context.js';
import type { PlannedEntry, WritePlan } from '../plan/write-plan.js';
import { type PreparedWrite, prepareWrite } from '../prepare-write.js';
import { writeInverse } from '../relations/inverse.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { withPendingInverse } from '../relations/pending-inverse.js';
import { takeComponentIds } from './component-ids.js';
import { buildFields, type EntryTools } from './fields.js';
import { inheritFrom, pickStored } from './inherit-values.js';

/**
 * What create and update pass for the version that is written first: the draft, or the only version of a type
 * without drafts.
 */
interface DraftWrite {
  readonly data: unknown;
  /** The stored version in this locale; null to create one. */
  readonly stored: Entry | null;
  /** What a new version starts from: the shared attributes of another locale, or the draft being cloned. */
  readonly inherited?: Entry;
}

/**
 * Prepares and builds the version, and adds it to the changes of `write` along with the changes that its
 * relations cause in other entries. Returns the built entry.
 */
export async function writeDraft(
  write: BuildContext,
  document: DocumentRef,
  { data, stored, inherited = {} }: DraftWrite,
): Promise<Entry> {
  const { type } = document;
  const action = stored ? 'update' : 'create';
  const prepared = await prepareWrite(write, document, { data, action, inherited });
  const entry = await build(write, document, { ...prepared, stored, inherited });
  const collection = collectionName(type, 'draft');
  if (stored) write.changes.replace(collection, stored, entry);
  else write.changes.insert(collection, entry);

  await enforceOneToOne(write, document, { status: 'draft', entry, before: stored });
  const changed = await writeInverse(write, document, prepared.plan.root, prepared.resolved);
  const draft = withPendingInverse(write.changes.current(collection, entry) ?? entry, changed);
  write.changes.replace(collection, entry, draft);
  write.trace?.built?.(draft);
  return draft;
}

interface ToBuild extends PreparedWrite, Required<Pick<DraftWrite, 'stored' | 'inherited'>> {}

async function build(
  write: BuildContext,
  { type, documentId, locale }: DocumentRef,
  { plan, stored, resolved, inherited }: ToBuild,
): Promise<Entry> {
  const { schema, sequences, config } = write;
  const [id = 0] = stored ? [Number(stored['id'])] : await sequences.take(type.uid, 1);
  // Sort position in inverse lists: a new entry uses its own id, later connections a fresh number, so they go
  // to the end.
  const [order = id] = stored && mayConnect(plan.root) ? await sequences.take(type.uid, 1) : [];
  const tools: EntryTools = {
    schema,
    resolved,
    order,
    localized: type.localized,
    defaultLocale: config.plugins.i18n.defaultLocale,
    keepIds: stored !== null,
    nextId: await takeComponentIds(write, plan.needs.componentIds),
  };
  const base =
    stored ??
    inheritFrom(
      type,
      pickStored(inherited, (name) => plan.inheritedNames.has(name)),
      tools,
    );
  const now = nowAfter(stored?.['updatedAt']);
  return {
    ...kept(type, stored),
    _id: stored?.['_id'] ?? new ObjectId(),
    id,
    documentId,
    locale,
    createdAt: stored?.['createdAt'] ?? now,
    updatedAt: now,
    publishedAt: type.draftAndPublish ? null : now,
    ...buildFields(ownPart(plan), base, tools),
  };
}

/**
 * The current time, but later than `before`: a draft counts as modified if it is newer than the published
 * version, even if clocks differ.
 */
export const nowAfter = (before: unknown): Date =>
  new Date(Math.max(Date.now(), before instanceof Date ? before.getTime() + 1 : 0));

/** The root without inherited attributes, which are copied in their stored form. */
const ownPart = ({ root, inheritedNames }: WritePlan): PlannedEntry =>
  inheritedNames.size === 0
    ? root
    : {
        ...root,
        values: Object.fromEntries(Object.entries(root.values).filter(([name]) => !inheritedNames.has(name))),
      };

const mayConnect = ({ model, values }: PlannedEntry): boolean =>
  [...model.attributes.values()].some(
    (attribute) =>
      attribute.kind === 'relation' && attribute.inversedBy !== null && values[attribute.name] !== undefined,
  );

/**
 * The fields of a stored version that no attribute writes and that must survive: creators, and fields unknown
 * to the schema, such as another program's in an adopted collection or the grants of a role.
 */
function kept(type: ContentType, stored: Entry | null): Entry {
  const others: Entry = {};
  for (const name in stored)
    if (name !== '_links' && (name === 'createdBy' || name === 'updatedBy' || !type.attributes.has(name)))
      others[name] = stored[name];
  return others;
}
