import type { Moment, VersionChoice } from '../../query/read-plan.js';
import { collectionName, historyName } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import { ALWAYS } from '../rows/combine.js';
import type { Match, Source } from '../types.js';

/**
 * The entries of a type that are stored in one version; at a moment in the past, as they were then, if the type keeps
 * versions. What a caller sees in a status is `sourcesOf`.
 */
export const storedAs = (type: ContentType, status: Status, moment: Moment | null = null): Source => ({
  type,
  status,
  ...(moment?.uids.has(type.uid)
    ? { collection: historyName(type), match: matchAt(type, status, moment) }
    : { collection: collectionName(type, status), match: ALWAYS }),
  moment,
  except: null,
  nulls: [],
  publication: null,
});

/** Types without Draft & Publish have one version, whatever is asked for. */
const storedStatus = ({ draftAndPublish }: ContentType, status: Status): Status =>
  draftAndPublish ? status : 'published';

const matchAt = (type: ContentType, status: Status, { at }: Moment): Match => ({
  '_version.status': { $eq: storedStatus(type, status) },
  '_version.from': { $lte: at },
  '_version.until': { $gt: at },
});

/** Versions of the entries of a type, past and current. */
export const versionsAs = (type: ContentType, status: Status, { id }: VersionChoice): Source => ({
  ...storedAs(type, status),
  collection: historyName(type),
  match: {
    '_version.status': { $eq: storedStatus(type, status) },
    ...(id !== null && { '_version.id': { $eq: id } }),
  },
});
