/** Adds the steps of a save to a write: to the draft, to the adopted collection, or to both. */
import type { Document } from 'bson';
import type { ContentType } from '../../schema/types.js';
import type { AdoptedDraft, InPlaceStep } from '../../store/adopted/in-place.js';
import { isStoredDocument } from '../../values/bson.js';
import { isPosition, valueAlong, valueAt } from '../../values/path.js';
import type { BuildContext } from '../context.js';
import { type ReturnedVersion, recordEvent, returnedVersion, writtenStatus } from '../versions.js';
import { placeAll, remove } from './build.js';
import { checkDraft } from './check-draft.js';
import { refused } from './commit.js';
import { entryOf } from './prepare.js';
import type { StoredVersions } from './stored-versions.js';

/** A document as it will be, and how it is sent if it is written to the adopted collection. */
interface NextVersion extends AdoptedDraft {
  /** If it is new there. */
  readonly insert?: Pick<Extract<InPlaceStep, { kind: 'insert' }>, 'onlyIfEmpty'> & {
    readonly anyKey: boolean;
  };
  /** What it was computed from and must be unchanged, if that is what the adopted collection holds. */
  readonly compared?: ReadonlyMap<string, unknown>;
}

interface Saving {
  readonly event: 'entry.create' | 'entry.update';
  readonly status?: unknown;
}

/** Saves a document as the version that `status` names: as the draft, or published. */
export async function save(
  write: BuildContext,
  next: NextVersion,
  stored: StoredVersions,
  { event, status }: Saving,
): Promise<ReturnedVersion> {
  recordEvent(write, event, entryOf(next.id));
  const version = writtenStatus(write.type, status);
  if (version === 'published') await publish(write, next, stored);
  else saveDraft(write, next, stored);
  return returnedVersion(write, entryOf(next.id), version);
}

export function saveDraft(
  { type, inPlace }: BuildContext,
  next: AdoptedDraft,
  { draft }: StoredVersions,
): void {
  inPlace.push({
    kind: 'saveDraft',
    type,
    draft: withoutPublication(next, type),
    replaces: draft?.revision ?? 0,
  });
}

/** Writes a document to the adopted collection, which makes its draft superfluous. */
export async function publish(
  write: BuildContext,
  next: NextVersion,
  { draft, published }: StoredVersions,
): Promise<void> {
  const { type, inPlace } = write;
  const { id, insert = { anyKey: false }, compared } = next;
  if (type.draftAndPublish) await checkDraft(write, next);
  const { document, changed } = withoutPublication(next, type);
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
    // A draft was computed from an earlier state.
    const same = (draft ? null : compared) ?? new Map();
    inPlace.push({ kind: 'update', type, id, compared: same, set, unset, document });
  } else {
    const copy = { ...document, _id: id };
    placeAll(copy, dated);
    inPlace.push({ kind: 'insert', type, document: copy, ...insert });
  }
  // With the revision, so that a draft saved by another server in the meantime stays.
  if (draft) inPlace.push({ kind: 'dropDraft', type, id, revision: draft.revision });
  if (type.draftAndPublish) recordEvent(write, 'entry.publish', entryOf(id));
}

/** The path that stores the time of publication; null if there is none. */
function publicationPath({ attributes, draftAndPublish }: ContentType): string | null {
  const attribute = attributes.get('publishedAt');
  return draftAndPublish && attribute?.system ? attribute.stored : null;
}

/** A draft has no time of publication. */
function withoutPublication({ id, document, changed }: AdoptedDraft, type: ContentType): AdoptedDraft {
  const path = publicationPath(type);
  if (path === null) return { id, document, changed };
  const copy = { ...document };
  remove(copy, path.split('.'));
  return { id, document: copy, changed };
}

/** Every value along the path must be a document, or a list with that position: the server rejects others. */
export function checkWay(document: Document, path: string, { collectionName }: ContentType): void {
  const parts = path.split('.');
  for (let at = 1; at < parts.length; at++) {
    const way = parts.slice(0, at);
    const value = valueAlong(document, way);
    if (value === undefined || isStoredDocument(value)) continue;
    if (Array.isArray(value) && isPosition(parts[at])) continue;
    throw refused(`${way.join('.')} of ${collectionName} is not a document`);
  }
}
