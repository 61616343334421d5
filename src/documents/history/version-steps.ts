import { historyName } from '../../schema/stored/collections.js';
import { type Entry, revisionOf, type WriteStep } from '../../store/entries/changes.js';
import {
  earliestAfter,
  missedVersion,
  type StoredVersion,
  successionSteps,
  type VersionCause,
  versionOf,
} from '../../store/history/versions.js';
import type { ChangeEvent, ChangeEventName } from '../../store/outbox/outbox.js';
import { groupBy } from '../../values/group.js';
import { idText } from '../../values/id-text.js';
import { type ResolveContext, refOf } from '../context.js';
import { isTouch, type VersionOf, versionsOf } from '../stored-versions.js';

/** A step on an entry whose versions are kept. */
interface KeptStep extends VersionOf {
  readonly step: WriteStep;
}

/**
 * The steps that keep the versions that a write makes, to be committed together with its own. For types without
 * history there are none, and nothing is read.
 */
export async function versionSteps(
  { schema, read }: Pick<ResolveContext, 'schema' | 'read'>,
  steps: readonly WriteStep[],
  events: readonly ChangeEvent[],
): Promise<readonly WriteStep[]> {
  const own = steps.flatMap((step): KeptStep[] => {
    const of = versionsOf(schema).get(step.collection);
    return of?.type.history ? [{ ...of, step }] : [];
  });
  const all = [...groupBy(own, ({ type }) => type)].map(async ([type, some]) => {
    const collection = historyName(type);
    const ids = some.flatMap(({ step }) => (step.before ? [step.id] : []));
    const last = ids.length === 0 ? [] : await read(collection, { _id: { $in: ids } });
    const byId = new Map(last.map((version) => [idText(version['_id']), version as StoredVersion]));
    return some.flatMap(({ step, status }) =>
      stepsFor(step, byId.get(idText(step.id)) ?? null, { type, status, events }),
    );
  });
  return (await Promise.all(all)).flat();
}

/** The write that a step belongs to. */
interface Written extends VersionOf {
  readonly events: readonly ChangeEvent[];
}

/** @param current the version that was kept last; null if there is none */
function stepsFor(step: WriteStep, current: StoredVersion | null, written: Written): readonly WriteStep[] {
  const { id, before, after } = step;
  const { type, status } = written;
  const collection = historyName(type);
  const isKept = before !== null && current !== null && revisionOf(current) === revisionOf(before);
  if (after && isTouch(step))
    return isKept ? [{ collection, id, before: current, after: { ...current, _rev: after['_rev'] } }] : [];
  const missed = before && !isKept ? [missedVersion(before, status, current)] : [];
  const last = missed[0] ?? current;
  const now = new Date(Math.max(Date.now(), earliestAfter(last)));
  const cause = causeOf(after ?? before ?? {}, written);
  const made = after ? [versionOf(after, { status, from: now, made: cause })] : [];
  const end = after ? null : { until: now, removed: cause };
  return successionSteps({ collection, id, current, later: [...missed, ...made], end });
}

const OF_PUBLISHED: ReadonlySet<ChangeEventName> = new Set(['entry.publish', 'entry.unpublish']);

/**
 * What the events of a write say about a version: a write that also publishes has an event for the draft and one for
 * the published entry.
 */
function causeOf(entry: Entry, { type, status, events }: Written): VersionCause {
  const { documentId, locale } = refOf(type, entry);
  const own = events.filter(
    (event) => event.uid === type.uid && event.documentId === documentId && event.locale === locale,
  );
  const isPublished = type.draftAndPublish && status === 'published';
  const found = own.find(({ event }) => OF_PUBLISHED.has(event) === isPublished) ?? own[0];
  return { event: found?.event ?? 'entry.update', by: found?.by ?? { kind: 'unknown' } };
}
