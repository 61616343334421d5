import { errors } from '../../errors.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import type { Entry, WriteStep } from '../../store/entries/changes.js';
import {
  SCHEDULED,
  type ScheduledAction,
  type StoredSchedule,
  scheduleId,
} from '../../store/entries/schedules.js';
import type { DocumentCall } from '../call.js';
import { refOf, type WriteContext } from '../context.js';
import { checkStored, type Precondition } from '../precondition.js';
import { readVersions } from '../versions.js';
import { documentFilter } from './locales.js';
import type { WriteRules } from './write-rules.js';

/** The parameter of each action that says when it is carried out. */
export const TIME_OF: Readonly<Record<ScheduledAction, string>> = {
  publish: 'publishAt',
  unpublish: 'unpublishAt',
};

/** Throws a 400 for a type whose documents cannot have schedules. */
export function checkSchedulable({ uid, storage, draftAndPublish, collectionName }: ContentType): void {
  if (!draftAndPublish)
    throw errors.validation('drafts-not-enabled', `${uid} has no drafts: draftAndPublish is off`);
  if (storage)
    throw errors.validation(
      'schedule-unsupported',
      `Documents of ${collectionName} are written in place: their publishing cannot be scheduled`,
    );
}

interface Scheduling {
  readonly action: ScheduledAction;
  /** Null: what is scheduled is cancelled. */
  readonly at: Date | null;
  readonly rules?: WriteRules | null;
  readonly precondition?: Precondition | null | undefined;
}

/**
 * Schedules an action for the chosen locales of a document, in place of what was scheduled; or cancels that. The caller
 * must be allowed to do now what is scheduled, or is not to be done any more. Empty if there is no such document, or
 * nothing to cancel.
 */
export const scheduling =
  ({ action, at, rules, precondition }: Scheduling) =>
  async (write: WriteContext, call: DocumentCall): Promise<StoredSchedule[]> => {
    const { type, read, changes, origin } = write;
    const { documentId } = call;
    const filter = documentFilter(write, call);
    const [[drafts, published], stored] = await Promise.all([
      readVersions(write, filter),
      read(SCHEDULED, { uid: type.uid, action, ...filter }) as Promise<(Entry & StoredSchedule)[]>,
    ]);
    await rules?.checkDocument(documentId);
    await rules?.checkSteps(
      documentId,
      stepsNow(type, { drafts, published }, action === 'publish' ? at : null),
    );
    const localeIn = (entry: Entry): string | null => refOf(type, entry).locale;
    const inLocale = <T extends Entry>(entries: readonly T[], locale: string | null): T | null =>
      entries.find((entry) => localeIn(entry) === locale) ?? null;
    // What is not published yet may be by the time it is to be unpublished.
    const there = action === 'publish' ? drafts : [...drafts, ...published];
    const locales = new Set((at ? there : stored).map(localeIn));
    return [...locales].flatMap((locale): StoredSchedule[] => {
      const entry = inLocale(drafts, locale) ?? inLocale(published, locale);
      if (precondition) checkStored(precondition, { locale }, entry);
      const former = inLocale(stored, locale);
      if (at === null) {
        if (former) changes.remove(SCHEDULED, former);
        return former ? [former] : [];
      }
      const about = { uid: type.uid, documentId, locale, action };
      const schedule = { ...about, at, by: origin.by, createdAt: new Date(), error: null };
      const stated = { _id: scheduleId(about), ...schedule };
      if (former) changes.replace(SCHEDULED, former, stated);
      else changes.insert(SCHEDULED, stated);
      return [stated as unknown as StoredSchedule];
    });
  };

/**
 * What the action would change if it were carried out now: rules are asked about that.
 * @param publishAt null: nothing is published
 */
function stepsNow(
  type: ContentType,
  { drafts, published }: Readonly<Record<'drafts' | 'published', readonly Entry[]>>,
  publishAt: Date | null,
): WriteStep[] {
  const step = (status: 'draft' | 'published', before: Entry | null, after: Entry | null): WriteStep => ({
    collection: collectionName(type, status),
    id: (before ?? after)?.['_id'],
    before,
    after,
  });
  return [
    ...drafts.map((draft) => step('draft', draft, draft)),
    ...published.map((entry) => step('published', entry, null)),
    ...(publishAt
      ? drafts.map((draft) => step('published', null, { ...draft, publishedAt: publishAt }))
      : []),
  ];
}
