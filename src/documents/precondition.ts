/**
 * Conditions of a write on the revisions that are stored. They are tested against the entries that the write
 * was computed from, and the commit compares the revisions of exactly these: of two writers that name the same
 * revision, one finds another revision there.
 */
import { ApiError, errors, isNotUnique } from '../errors.js';
import { collectionName } from '../schema/stored/collections.js';
import type { ContentType } from '../schema/types.js';
import { type Entry, revisionOf } from '../store/entries/changes.js';
import { type Gathered, refOf } from './context.js';
import type { ReturnedVersion } from './versions.js';

/** Any revision, or one of these. */
export type Revisions = '*' | ReadonlySet<string>;

export interface Precondition {
  /** Every entry that is changed exists and has one of these revisions; null: no such condition. */
  readonly match: Revisions | null;
  /** None of them has one of these; `*`: none exists. */
  readonly noneMatch: Revisions | null;
}

/**
 * Throws a 412 unless the condition holds for each document and locale that a write returns: for its draft as
 * it was before, since every edit begins there; for the published entry if there is no draft.
 */
export function checkPrecondition(
  write: Gathered,
  precondition: Precondition,
  versions: readonly ReturnedVersion[],
): void {
  for (const version of versions) checkStored(precondition, version, storedBefore(write, version));
}

/** The same for what is stored of one document and locale; null: nothing. */
export function checkStored(
  { match, noneMatch }: Precondition,
  { locale }: Pick<ReturnedVersion, 'locale'>,
  stored: Entry | null,
): void {
  const revision = stored && revisionOf(stored);
  const holds =
    (match === null || isAmong(match, revision)) && (noneMatch === null || !isAmong(noneMatch, revision));
  if (!holds) throw errors.preconditionFailed({ revision, ...(locale !== null && { locale }) });
}

const isAmong = (revisions: Revisions, revision: string | null): boolean =>
  revision !== null && (revisions === '*' || revisions.has(revision));

/** The draft before the write, otherwise the published entry; null if there was neither. */
function storedBefore({ type, changes }: Gathered, { documentId, locale }: ReturnedVersion): Entry | null {
  const steps = changes.steps();
  const find = (collection: string): Entry | undefined =>
    steps
      .filter((step) => step.collection === collection)
      .map(({ before }) => before ?? {})
      .find((before) => {
        const found = refOf(type, before);
        return found.documentId === documentId && found.locale === locale;
      });
  return find(collectionName(type, 'draft')) ?? find(collectionName(type, 'published')) ?? null;
}

/**
 * Throws a 400 for documents without revisions, of which only the absence can be a condition.
 * @param creates whether the write creates a document
 */
export function checkSupported(
  { storage, collectionName }: ContentType,
  { match, noneMatch }: Precondition,
  creates: boolean,
): void {
  if (!storage || (creates && match === null && noneMatch === '*')) return;
  throw errors.validation(
    'precondition-unsupported',
    `Documents of ${collectionName} have no revisions: If-Match and If-None-Match cannot be used`,
  );
}

/** The error of a creation on condition that no entry has its unique values: a 412 if one has. */
export const refusalOf = (error: unknown, { noneMatch }: Precondition): unknown =>
  noneMatch === '*' && error instanceof ApiError && error.faults.length > 0 && error.faults.every(isNotUnique)
    ? errors.preconditionFailed(error.details)
    : error;
