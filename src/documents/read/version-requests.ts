/** Requests for the versions of a document as reads. */
import { ObjectId } from 'bson';
import { errors } from '../../errors.js';
import { planStatus } from '../../query/plan/version.js';
import { paramsQuery } from '../../query/query.js';
import type { QuerySettings } from '../../query/settings.js';
import { mayReadDrafts } from '../../query/versions.js';
import { statusesOf } from '../../schema/stored/collections.js';
import type { Status } from '../../schema/types.js';
import type { VersionMark } from '../../store/history/versions.js';
import type { ReadRequest } from './reader.js';

/** What selects entries: versions are selected by their document alone. */
const REFUSED = ['filters', 'sort', '_q', 'publicationFilter', 'hasPublishedVersion', 'at'];

/** What a version is selected by. */
type Selected = Pick<VersionMark, 'id' | 'status'>;

/** The version that no document has. */
export const NO_VERSION: Selected = { id: new ObjectId(new Uint8Array(12)), status: 'published' };

/** The name of a version; null if it is none. */
export const versionId = (text: unknown): ObjectId | null =>
  typeof text === 'string' && /^[0-9a-f]{24}$/.test(text) ? new ObjectId(text) : null;

/** The statuses that a caller sees: `status` alone, or all that it may read. */
function statusesFor(
  { type, caller, query }: ReadRequest,
  settings: QuerySettings,
): readonly [Status, ...Status[]] {
  const drafts = mayReadDrafts(caller, settings);
  const { status } = query.params;
  if (status !== undefined) return [planStatus(status, type, drafts, settings)];
  const [first = 'published', ...others] = statusesOf(type).filter((one) => drafts || one === 'published');
  return [first, ...others];
}

/**
 * The read of the versions of a document.
 * @param documentId null: of a single type
 * @param only one version
 */
export function versionsRequest(
  request: ReadRequest,
  settings: QuerySettings,
  documentId: string | null,
  only: Selected | null = null,
): ReadRequest {
  const { type, caller, query } = request;
  const { params } = query;
  const key = REFUSED.find((name) => name in params);
  if (key !== undefined) throw errors.invalidKey({ key, path: null, source: 'query', param: key });
  const statuses = statusesFor(request, settings);
  const isHidden = only?.status === 'draft' && !mayReadDrafts(caller, settings);
  const shown = isHidden ? NO_VERSION : only;
  const chosen = { ...params, ...(documentId !== null && { filters: { documentId: { $eq: documentId } } }) };
  const one = shown && { status: shown.status, ...(type.localized && { locale: '*' }) };
  return {
    ...request,
    query: paramsQuery({ ...chosen, ...one }, query.mode),
    versions: shown ? { id: shown.id, statuses: [shown.status] } : { id: null, statuses },
  };
}
