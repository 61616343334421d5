/** Reads of entries as they will be: `status=scheduled&at=<time>`. */
import { errors } from '../../errors.js';
import { TO_COME } from '../../query/check/root.js';
import type { EntryName, ToCome } from '../../query/read-plan.js';
import type { QuerySettings } from '../../query/settings.js';
import { timeToCome } from '../../query/time-to-come.js';
import { mayReadDrafts } from '../../query/versions.js';
import type { Store } from '../../store/client.js';
import { schedulesUntil } from '../../store/entries/schedules.js';
import type { QueryRequest } from './prepare-read.js';

/** The most schedules that one read takes into account. */
const MOST = 10_000;

/** Whether a request asks for entries as they will be. Types without drafts have no such status. */
export const asksForToCome = ({ type, query }: Pick<QueryRequest, 'type' | 'query'>): boolean =>
  (query.text === undefined || query.text.includes(TO_COME)) &&
  query.params['status'] === TO_COME &&
  type.draftAndPublish;

/** Throws a 400 where entries can only be read as they are. */
export const notToCome = () =>
  errors.validation(
    'scheduled-not-read',
    "The status 'scheduled' is for reads of types whose publishing can be scheduled",
    {
      source: 'query',
      param: 'status',
    },
  );

/**
 * What will have been scheduled by the time that a request asks for. Throws a 400 for a time that is not to come, and a
 * 403 for callers who may not read drafts, or not what is scheduled.
 */
export async function toComeFor(
  { db }: Pick<Store, 'db'>,
  { type, query, caller }: Pick<QueryRequest, 'type' | 'query' | 'caller'>,
  settings: QuerySettings,
): Promise<ToCome> {
  if (type.storage) throw notToCome();
  const { uid } = type;
  const mayFind = caller.grants?.allows(`${uid}.findScheduled`) ?? true;
  if (!mayFind || !mayReadDrafts(caller, settings)) throw errors.forbidden();
  const { params } = query;
  for (const key of ['publicationFilter', 'hasPublishedVersion'])
    if (key in params) throw errors.invalidKey({ key, path: null, source: 'query', param: key });
  const rows = await schedulesUntil(db, uid, timeToCome('at', params['at']), MOST + 1);
  if (rows.length > MOST)
    throw errors.validation(
      'scheduled-too-many',
      `More than ${MOST} entries of ${uid} are scheduled until then`,
    );
  // Of several actions on an entry, the last one counts.
  const last = new Map(rows.map((row) => [JSON.stringify([row.documentId, row.locale]), row]));
  const of = (action: 'publish' | 'unpublish'): readonly EntryName[] =>
    [...last.values()]
      .filter((row) => row.action === action)
      .map(({ documentId, locale }) => ({ documentId, locale }));
  return { published: of('publish'), unpublished: of('unpublish') };
}
