/** Requests about what is scheduled. */
import { errors } from '../errors.js';
import { PARAMS } from '../query/params.js';
import { paramsQuery } from '../query/query.js';
import type { QuerySettings } from '../query/settings.js';
import { mayReadDrafts } from '../query/versions.js';
import { statusesOf } from '../schema/stored/collections.js';
import type { ContentType } from '../schema/types.js';
import {
  SCHEDULED,
  type ScheduledAction,
  type StoredSchedule,
  scheduleId,
} from '../store/entries/schedules.js';
import type { DocumentsContext } from './context.js';
import { writtenBefore } from './idempotency.js';
import { writeLocale } from './operations/locales.js';
import type { Writes } from './operations/run-writes.js';
import { checkSchedulable, scheduling, TIME_OF } from './operations/schedule.js';
import { seeing, type WriteRules } from './operations/write-rules.js';
import { paginationOf } from './read/pagination.js';
import type { Reader, ReadRequest } from './read/reader.js';
import type { ScheduledAnswer } from './request.js';
import { type Schedule, scheduledIn } from './scheduled.js';

export interface SchedulingParts {
  readonly type: ContentType;
  readonly context: DocumentsContext;
  readonly reader: Pick<Reader, 'view'>;
  readonly writes: Pick<Writes, 'plain'>;
  readonly request: ReadRequest;
  readonly rules: WriteRules | null;
  /** What the request makes the write depend on. */
  readonly conditions: () => Parameters<Writes['plain']>[2] & object;
  /** The document of a single type; null if there is none. */
  readonly single: () => Promise<string | null>;
}

interface Changing {
  readonly action: ScheduledAction;
  /** Null: of a single type. */
  readonly documentId: string | null;
  /** Null: it is cancelled. */
  readonly at: Date | null;
}

/** Schedules an action, or cancels it; for a request that was carried out before, reads what is left of it. */
export async function changeSchedules(
  { type, context, reader, writes, request, rules, conditions, single }: SchedulingParts,
  { action, documentId: given, at }: Changing,
): Promise<readonly StoredSchedule[]> {
  checkSchedulable(type);
  const { [TIME_OF[action]]: _, ...params } = request.query.params;
  const { locale } = reader.view({ ...request, query: paramsQuery(params, request.query.mode) }).query;
  const { precondition, ...how } = conditions();
  const documentId = given ?? (await single());
  if (documentId === null) return [];
  if (writtenBefore(how.writeKey) !== null) {
    const inLocale = writeLocale(type, locale, context.config.plugins.i18n.defaultLocale);
    const _id = scheduleId({ uid: type.uid, documentId, locale: inLocale, action });
    return (await context.read(SCHEDULED, { _id })) as unknown as StoredSchedule[];
  }
  const call = { documentId, locale, data: undefined, status: undefined, query: paramsQuery({}, 'rest') };
  return writes.plain(call, scheduling({ action, at, precondition, rules }), how);
}

interface Paging {
  readonly context: Pick<DocumentsContext, 'read'>;
  readonly reader: Pick<Reader, 'prepare'>;
  /** Reads entries as rules test them. */
  readonly testing: Pick<Reader, 'list'>;
  readonly settings: QuerySettings;
}

const keyOf = (documentId: unknown, locale: unknown): string => JSON.stringify([documentId, locale ?? null]);

/** Throws a 400 for parameters other than `pagination`, and a 403 for callers who may not read drafts. */
export async function scheduledPage(
  request: ReadRequest,
  { context, reader, testing, settings }: Paging,
): Promise<ScheduledAnswer> {
  const { type, caller, query } = request;
  const key = [...PARAMS, 'at'].find((name) => name !== 'pagination' && Object.hasOwn(query.params, name));
  if (key !== undefined) throw errors.invalidKey({ key, path: null, source: 'query', param: key });
  if (!mayReadDrafts(caller, settings)) throw errors.forbidden();
  const { page } = reader.prepare({ ...request, target: 'list' }).read.plan;
  const rule = caller.grants?.reads?.get(type.uid);
  const stored = await scheduledIn(context, type);
  const all = rule ? await visible(stored, request, testing) : stored;
  const { skip, limit } = page;
  const rows = all.slice(skip, limit === null ? undefined : skip + limit);
  return {
    // The message may name an attribute that does not exist for the caller.
    data: rule?.fields ? rows.map(withoutMessage) : rows,
    pagination: paginationOf(page, { total: all.length }),
  };
}

const withoutMessage = (schedule: Schedule): Schedule => ({
  ...schedule,
  error: schedule.error && { ...schedule.error, message: 'The entry was refused' },
});

/** The schedules of entries that the rules of the caller let it read. */
async function visible(
  schedules: readonly Schedule[],
  { type, caller }: ReadRequest,
  testing: Paging['testing'],
): Promise<readonly Schedule[]> {
  const where = caller.grants?.reads?.get(type.uid)?.where ?? [];
  if (where.length === 0) return schedules;
  const grants = seeing(type, where, caller.grants?.values);
  const documentIds = [...new Set(schedules.map(({ documentId }) => documentId))];
  const filters = { documentId: { $in: documentIds } };
  const lists = statusesOf(type).map((status) =>
    testing.list({
      type,
      caller: { grants },
      query: { ...paramsQuery({ filters, status, locale: '*', fields: ['locale'] }), key: null },
    }),
  );
  const rows = (await Promise.all(lists)).flatMap(({ data }) => data);
  const seen = new Set(rows.map(({ documentId, locale }) => keyOf(documentId, locale)));
  return schedules.filter(({ documentId, locale }) => seen.has(keyOf(documentId, locale)));
}
