import type { Doc } from '../../pipeline/types.js';
import type { QuerySettings } from '../../query/settings.js';
import { historyName } from '../../schema/stored/collections.js';
import type { Status } from '../../schema/types.js';
import { isCurrent, type StoredVersion } from '../../store/history/versions.js';
import type { ResolveContext } from '../context.js';
import type { Reader, ReadRequest, ShownVersion } from './reader.js';
import { NO_VERSION, versionId, versionsRequest } from './version-requests.js';

/** A version of a document, as REST and scripts show it. */
export interface KeptVersion<Entry = Doc> {
  readonly id: string;
  readonly status: Status;
  readonly locale: string | null;
  /** What made the entry so, such as `entry.update`; null if it was not seen. */
  readonly event: string | null;
  /** When the entry became so, and when it ceased to be; null: it has not. */
  readonly from: Date;
  readonly until: Date | null;
  /** What removed the entry after this version; null: nothing did. */
  readonly removed: string | null;
  readonly entry: Entry;
}

export const keptVersion = ({ mark, locale, entry }: ShownVersion): KeptVersion => ({
  id: String(mark.id),
  status: mark.status,
  locale,
  event: mark.made?.event ?? null,
  from: mark.from,
  until: isCurrent(mark) ? null : mark.until,
  removed: mark.removed?.event ?? null,
  entry,
});

/** Where versions are found. */
interface Versions {
  readonly read: ResolveContext['read'];
  readonly reader: Pick<Reader, 'versions'>;
  readonly settings: QuerySettings;
}

/**
 * A version of a document; null if there is none that the caller may read.
 * @param documentId null: of a single type
 */
export async function findVersion(
  { read, reader, settings }: Versions,
  request: ReadRequest,
  documentId: string | null,
  version: unknown,
): Promise<ShownVersion | null> {
  const id = versionId(version);
  const filter = { '_version.id': id, ...(documentId !== null && { documentId }) };
  const [found] = id ? await read(historyName(request.type), filter, ['_version']) : [];
  // The query is checked in any case: an error would tell that there is a version which the caller may not read.
  const mark = found ? (found as StoredVersion)._version : NO_VERSION;
  const { data } = await reader.versions(versionsRequest(request, settings, documentId, mark));
  return data[0] ?? null;
}
