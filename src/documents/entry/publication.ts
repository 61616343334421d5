import { isDeepStrictEqual } from 'node:util';
import { ObjectId } from 'bson';
import { collectionName } from '../../schema/stored/collections.js';
import type { Entry } from '../../store/entries/changes.js';
import { objectAt, type PlainObject } from '../../values/plain-object.js';
import type { BuildContext, DocumentRef } from '../context.js';
import { countItems } from '../plan/items.js';
import { preparePublication, prepareWrite } from '../prepare-write.js';
import { enforceOneToOne } from '../relations/one-to-one.js';
import { pendingInverseOf, syncOwners, withoutPendingInverse } from '../relations/pending-inverse.js';
import { takeComponentIds } from './component-ids.js';
import { contentOf, copyFields, importedFields } from './copy.js';

interface Published {
  /** The published entry that the draft replaces; null if there is none. */
  readonly published: Entry | null;
  /** The body of the request that also publishes. */
  readonly sent?: unknown;
  /** Values of scalars that only the copy has. */
  readonly own?: PlainObject | undefined;
}

/**
 * Whether an entry has one id, whatever versions it has, as clients of Strapi 4 expect: what is published takes it
 * over from the draft, which gets another one, and leaves it to the draft.
 */
export const hasOneId = ({ config }: Pick<BuildContext, 'config'>): boolean => config.rest.compat === 'v4';

/**
 * Publishes a draft: validates it and writes a copy with new component ids in place of the published entry,
 * if there is one. With `stableIds` the copy keeps that entry's numeric id. Returns the copy.
 */
export async function publishDraft(
  write: BuildContext,
  document: DocumentRef,
  draft: Entry,
  { published, sent, own }: Published,
): Promise<Entry> {
  const { changes } = write;
  const { type } = document;
  const source = own ? await withOwn(write, document, draft, own) : draft;
  const { plan } = await preparePublication(
    write,
    document,
    source,
    published
      ? { excused: () => unchangedIn(write, { draft: source, published, sent: objectAt(sent) }) }
      : {},
  );
  const copy = await otherVersionOf(write, source, { replaced: published, items: plan.needs.componentIds });
  const passesId = published === null && hasOneId(write);
  const id = passesId ? draft['id'] : copy['id'];
  const entry = { _id: published?.['_id'] ?? new ObjectId(), ...copy, id, publishedAt: new Date() };
  const collection = collectionName(type, 'published');
  if (published) changes.replace(collection, published, entry);
  else changes.insert(collection, entry);
  await enforceOneToOne(write, document, { status: 'published', entry, before: published });

  const pending = pendingInverseOf(draft);
  const isPending = Object.keys(pending).length > 0;
  if (isPending) await syncOwners(write, document, pending, { from: 'draft', to: 'published' });
  if (isPending || passesId) {
    const inDrafts = collectionName(type, 'draft');
    const left = isPending ? withoutPendingInverse(draft) : (changes.current(inDrafts, draft) ?? draft);
    changes.replace(inDrafts, draft, passesId ? { ...left, id: copy['id'] } : left);
  }
  // Changes the draft's revision, so that a concurrent discardDraft or delete conflicts.
  changes.touch(collectionName(type, 'draft'), draft);
  const stored = changes.current(collection, entry) ?? entry;
  write.trace?.built?.(stored);
  return stored;
}

/** A version with other values of scalars, as its copy is to have them. */
export async function withOwn(
  write: BuildContext,
  document: DocumentRef,
  entry: Entry,
  own: PlainObject,
): Promise<Entry> {
  const { plan } = await prepareWrite(write, document, { data: own, action: 'update', inherited: entry });
  const { values } = plan.root;
  return { ...entry, ...Object.fromEntries(Object.keys(own).map((name) => [name, values[name] ?? null])) };
}

/**
 * The attributes that are published with this value already, and were not sent: a value that the schema no
 * longer allows does not prevent a change of the others.
 */
function unchangedIn(
  { schema, type }: BuildContext,
  {
    draft,
    published,
    sent,
  }: { readonly draft: Entry; readonly published: Entry; readonly sent: PlainObject },
): readonly string[] {
  const [now, before] = [draft, published].map((entry) => contentOf(schema, type, entry));
  return [...type.attributes.keys()]
    .filter((name) => !(name in sent) && isDeepStrictEqual(now?.[name] ?? null, before?.[name] ?? null))
    .map((name) => `/${name}`);
}

interface Replacing {
  /** The stored version that is replaced; null if there is none. */
  readonly replaced: Entry | null;
  /** The number of component items in the new version, if known. */
  readonly items?: number;
}

/** A copy of `from` as the other version of its document. */
export async function otherVersionOf(
  write: BuildContext,
  from: Entry,
  { replaced, items }: Replacing,
): Promise<Entry> {
  const { schema, sequences, config, type } = write;
  const nextId = await takeComponentIds(write, items ?? countItems(schema, type, from));
  const keepsId = replaced !== null && config.documents.stableIds;
  const [id] = keepsId ? [Number(replaced['id'])] : await sequences.take(type.uid, 1);
  return {
    id,
    documentId: from['documentId'],
    locale: from['locale'] ?? null,
    createdAt: from['createdAt'],
    updatedAt: from['updatedAt'],
    ...('createdBy' in from && { createdBy: from['createdBy'], updatedBy: from['updatedBy'] }),
    ...importedFields(from),
    ...copyFields(schema, type, from, nextId),
  };
}
