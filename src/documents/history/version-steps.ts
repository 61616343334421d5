import { historyName } from '../../schema/stored/collections.js';
import { type Entry, revisionOf, type WriteStep } from '../../store/entries/changes.js';
import {
  earliestAfter,
  missedVersion,
  OF_OTHERS,
  replacementSteps,
  type StoredVersion,
  sameDocuments,
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

/** With the version that was kept last; null if there is none. */
interface CurrentStep extends KeptStep {
  readonly current: StoredVersion | null;
}

/** With what is known of the versions before. */
interface KnownStep extends CurrentStep {
  /** What was stored since without being kept, if anything. */
  readonly missed: readonly StoredVersion[];
  /** See `missedVersion`. */
  readonly others: readonly StoredVersion[];
}

/**
 * The steps that keep the versions that a write makes, to be committed together with its own. For types without
 * history there are none, and nothing is read. All versions of a write begin in the same millisecond, so that a read of
 * any moment shows all of it or nothing.
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
    const ids = some.flatMap(({ step }) => (step.before ? [step.id] : []));
    const last = ids.length === 0 ? [] : await read(historyName(type), { _id: { $in: ids } });
    const byId = new Map(last.map((version) => [idText(version['_id']), version as StoredVersion]));
    const known = some.map((one) => ({ ...one, current: byId.get(idText(one.step.id)) ?? null }));
    const fresh = known.flatMap(({ step, current }) => (step.before && !current ? [step.before] : []));
    const others = fresh.length === 0 ? [] : await read(historyName(type), sameDocuments(fresh), OF_OTHERS);
    return known.map((one) => knownStep(one, others as StoredVersion[]));
  });
  const known = (await Promise.all(all)).flat();
  const now = known.reduce(
    (latest, { current, missed: [missed = current] }) => Math.max(latest, earliestAfter(missed)),
    Date.now(),
  );
  return known.flatMap((one) => stepsFor(one, new Date(now), events));
}

function knownStep(one: CurrentStep, others: readonly StoredVersion[]): KnownStep {
  const { step, status, current } = one;
  const { before } = step;
  const isMissed = before && !(current && revisionOf(current) === revisionOf(before));
  return { ...one, missed: isMissed ? [missedVersion(before, status, current, others)] : [], others };
}

function stepsFor(
  { type, status, step, current, missed, others }: KnownStep,
  now: Date,
  events: readonly ChangeEvent[],
): readonly WriteStep[] {
  const { id, before, after } = step;
  const collection = historyName(type);
  if (after && isTouch(step))
    return current && missed.length === 0
      ? [{ collection, id, before: current, after: { ...current, _rev: after['_rev'] } }]
      : [];
  const cause = causeOf(after ?? before ?? {}, { type, status, events });
  const made = after ? [versionOf(after, { status, from: now, made: cause })] : [];
  const end = after ? null : { until: now, removed: cause };
  const later = [...missed, ...made];
  return [
    ...successionSteps({ collection, id, current, later, end }),
    ...missed.flatMap((version) => replacementSteps(collection, version, others)),
  ];
}

/** The write that a step belongs to. */
interface Written extends VersionOf {
  readonly events: readonly ChangeEvent[];
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
