/**
 * Draft & Publish for an adopted collection: a draft is a whole document in a collection that Mangrove owns,
 * with the list of paths in which it differs. Saving a draft leaves the adopted collection alone; publishing
 * writes those paths to it and removes the draft (docs/on-mongodb.md, "Drafts").
 */
import type { Document } from 'bson';
import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { AdoptedDraft, StoredDraft } from '../../store/adopted/in-place.js';
import { keyText } from '../../values/json-form.js';
import { valueAt } from '../../values/path.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { Call, DocumentCall } from '../call.js';
import { singleDocument } from '../claims/single.js';
import type { BuildContext } from '../context.js';
import {
  documentExists,
  type ReturnedVersion,
  recordEvent,
  returnedVersion,
  writtenStatus,
} from '../versions.js';
import { changesOf, documentOf, place, placeAll, remove } from './build.js';
import { checkDraft } from './check-draft.js';
import { refused } from './commit.js';
import { copiedDocument, entryOf, newDocument, prepared, times } from './prepare.js';

/** Both versions of a document. */
interface Found {
  readonly id: unknown;
  readonly draft: StoredDraft | null;
  readonly published: Document | null;
}

export async function createDrafted(write: BuildContext, call: Call): Promise<ReturnedVersion> {
  const { type } = write;
  const single = type.kind === 'singleType' ? await singleDocument(write) : null;
  const updated = single === null ? null : await updateDrafted(write, { ...call, documentId: single });
  if (updated) return updated;
  const { document } = await newDocument(write, call.data);
  const id: unknown = document['_id'];
  const found = await versionsAt(write, id);
  if (found.draft || found.published) throw documentExists({ type, documentId: keyText(id), locale: null });
  return saved(write, { id, document, changed: null }, found, {
    event: 'entry.create',
    status: call.status,
  });
}

export async function updateDrafted(
  write: BuildContext,
  call: DocumentCall,
): Promise<ReturnedVersion | null> {
  const { type } = write;
  const found = await find(write, call.documentId);
  if (!found) return null;
  const stored = found.current;
  const { data } = call;
  const { plan, tools } = await prepared(write, stored.document, { data, action: 'update' });
  const { set, unset } = changesOf(plan.root, stored.document, tools);
  const dated = times(type, false);
  const paths = [...Object.keys(set), ...unset, ...Object.keys(dated)];
  for (const path of paths) checkWay(stored.document, path, type);
  const document = documentOf(plan.root, stored.document, tools);
  placeAll(document, dated);
  const changed = stored.changed && outermost([...stored.changed, ...paths]);
  return saved(write, { id: found.id, document, changed }, found, {
    event: 'entry.update',
    status: call.status,
  });
}

/** A copy of the draft with a new key and `data` applied. */
export async function cloneDrafted(write: BuildContext, call: DocumentCall): Promise<ReturnedVersion[]> {
  const { type } = write;
  const stored = (await find(write, call.documentId))?.current;
  if (!stored) return [];
  const document = await copiedDocument(write, call, stored.document);
  const id: unknown = document['_id'];
  const draft = withoutPublication({ id, document, changed: null }, type);
  write.inPlace.push({ kind: 'saveDraft', type, draft, replaces: 0 });
  recordEvent(write, 'entry.create', entryOf(id));
  return [returnedVersion(write, entryOf(id), 'draft')];
}

/** Removes both versions. */
export async function deleteDrafted(
  write: BuildContext,
  { documentId, status }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  if (status === 'draft') throw errors.bare('draft-not-deletable', 'Cannot delete a draft document');
  const found = await find(write, documentId);
  if (!found) return [];
  const { id, draft, published } = found;
  if (draft) write.inPlace.push({ kind: 'dropDraft', type, id });
  if (published) write.inPlace.push({ kind: 'delete', type, id });
  recordEvent(write, 'entry.delete', entryOf(id));
  return [
    returnedVersion(write, entryOf(id), 'draft'),
    ...(published ? [returnedVersion(write, entryOf(id), 'published')] : []),
  ];
}

/** Writes the paths that the draft changes to the adopted collection. */
export async function publishDrafted(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const found = await find(write, documentId);
  if (!found) return [];
  await publish(write, found.current, found);
  return [returnedVersion(write, entryOf(found.id), 'published')];
}

/** Removes the published document and keeps its content as a draft. */
export async function unpublishDrafted(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  const found = await find(write, documentId);
  if (!found?.published) return [];
  const { id, current: stored } = found;
  write.inPlace.push(
    {
      kind: 'saveDraft',
      type,
      draft: withoutPublication(stored, type),
      replaces: found.draft?.revision ?? 0,
    },
    { kind: 'delete', type, id },
  );
  recordEvent(write, 'entry.unpublish', entryOf(id));
  return [returnedVersion(write, entryOf(id), 'published')];
}

/** Removes the draft; a document that was never published is thereby deleted. */
export async function discardDrafted(
  write: BuildContext,
  { documentId }: DocumentCall,
): Promise<ReturnedVersion[]> {
  const { type } = write;
  const found = await find(write, documentId);
  if (!found) return [];
  const { id, draft, published } = found;
  if (draft) {
    write.inPlace.push({ kind: 'dropDraft', type, id });
    recordEvent(write, published ? 'entry.draft-discard' : 'entry.delete', entryOf(id));
  }
  return published ? [returnedVersion(write, entryOf(id), 'draft')] : [];
}

/** A document that exists in at least one version. */
async function find(
  write: BuildContext,
  documentId: string,
): Promise<(Found & { readonly current: AdoptedDraft }) | null> {
  const id = (await write.adopted.keys(write.type, [documentId])).get(documentId);
  if (id === undefined) return null;
  const found = await versionsAt(write, id);
  const current = currentOf(found);
  return current && { ...found, current };
}

async function versionsAt({ adopted, type }: BuildContext, id: unknown): Promise<Found> {
  const [draft, published] = await Promise.all([adopted.readDraft(type, id), adopted.read(type, id)]);
  return { id, draft, published };
}

/**
 * The current state of the draft: its changed paths on top of what is published now, so that other programs'
 * later changes are kept. Null: the document no longer exists.
 */
function currentOf({ id, draft, published }: Found): AdoptedDraft | null {
  if (!published) return draft;
  if (!draft) return { id, document: published, changed: [] };
  const changed = draft.changed ?? Object.keys(draft.document).filter((path) => path !== '_id');
  const document = { ...published };
  for (const path of changed) {
    const value = valueAt(draft.document, path);
    const parts = path.split('.');
    if (value === undefined) remove(document, parts);
    else place(document, parts, value);
  }
  return { id, document, changed };
}

interface Saving {
  readonly event: 'entry.create' | 'entry.update';
  readonly status?: unknown;
}

async function saved(
  write: BuildContext,
  draft: AdoptedDraft,
  found: Found,
  { event, status }: Saving,
): Promise<ReturnedVersion> {
  recordEvent(write, event, entryOf(draft.id));
  const version = writtenStatus(write.type, status);
  if (version === 'published') await publish(write, draft, found);
  else
    write.inPlace.push({
      kind: 'saveDraft',
      type: write.type,
      draft: withoutPublication(draft, write.type),
      replaces: found.draft?.revision ?? 0,
    });
  return returnedVersion(write, entryOf(draft.id), version);
}

async function publish(write: BuildContext, stored: AdoptedDraft, found: Found): Promise<void> {
  const { type } = write;
  const { id, published } = found;
  await checkDraft(write, stored);
  const { document, changed } = withoutPublication(stored, type);
  const at = publicationPath(type);
  const dated = at === null ? {} : { [at]: new Date() };
  if (published) {
    const set: Record<string, unknown> = { ...dated };
    const unset: string[] = [];
    for (const path of changed ?? []) {
      const value = valueAt(document, path);
      if (value === undefined) unset.push(path);
      else set[path] = value;
    }
    write.inPlace.push({ kind: 'update', type, id, compared: new Map(), set, unset });
  } else {
    const copy = { ...document, _id: id };
    placeAll(copy, dated);
    write.inPlace.push({ kind: 'insert', type, document: copy, anyKey: false });
  }
  // With the revision, so that a draft saved by another server in the meantime stays.
  if (found.draft) write.inPlace.push({ kind: 'dropDraft', type, id, revision: found.draft.revision });
  recordEvent(write, 'entry.publish', entryOf(id));
}

/** The path that stores the time of publication; null if there is none. */
function publicationPath({ attributes }: ContentType): string | null {
  const attribute = attributes.get('publishedAt');
  return attribute?.system ? attribute.stored : null;
}

/** A draft has no time of publication. */
function withoutPublication(draft: AdoptedDraft, type: ContentType): AdoptedDraft {
  const path = publicationPath(type);
  if (path === null) return draft;
  const document = { ...draft.document };
  remove(document, path.split('.'));
  return { ...draft, document };
}

/** Leaves out paths that lie inside another of the paths. */
const outermost = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].filter((path) => !paths.some((other) => path.startsWith(`${other}.`)));

/** Every value along the path must be a document, otherwise the server would reject the publication. */
function checkWay(document: Document, path: string, { collectionName }: ContentType): void {
  const parts = path.split('.');
  for (let at = 1; at < parts.length; at++) {
    const way = parts.slice(0, at);
    const value = way.reduce<unknown>(
      (found, part) => (isPlainObject(found) ? found[part] : undefined),
      document,
    );
    if (value === undefined || isPlainObject(value)) continue;
    throw refused(`${way.join('.')} of ${collectionName} is not a document`);
  }
}
