import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import type { ContentType, Status } from '../../schema/types.js';
import { isAbsent } from '../../values/absent.js';
import { asText } from '../../values/as-text.js';
import type { QueryNode, RawValue } from '../ast.js';
import { PUBLICATION_FILTERS, type PublicationFilter } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';

const legacyValues: ReadonlyMap<RawValue, PublicationFilter> = new Map<RawValue, PublicationFilter>([
  [true, 'has-published-version-document'],
  ['true', 'has-published-version-document'],
  [false, 'never-published-document'],
  ['false', 'never-published-document'],
]);

/** These reveal something about drafts, so they are as restricted as drafts. */
const revealsDrafts: ReadonlySet<PublicationFilter> = new Set<PublicationFilter>([
  'modified',
  'unmodified',
  'published-without-draft',
  'published-with-draft',
]);

type PublicationNode = Pick<QueryNode, 'publicationFilter' | 'hasPublishedVersion'>;

/**
 * `publicationFilter`, or the older `hasPublishedVersion`. Null: no restriction. Throws a 400 for other
 * values, and a 403 for what reveals drafts to a caller who may not read them.
 */
export function planPublication(node: PublicationNode, drafts: boolean): PublicationFilter | null {
  const filter = readPublication(node);
  if (!drafts && filter !== null && revealsDrafts.has(filter)) throw errors.forbidden();
  return filter;
}

function readPublication(node: PublicationNode): PublicationFilter | null {
  const { publicationFilter: given, hasPublishedVersion: older } = node;
  if (!isAbsent(given)) {
    const found = PUBLICATION_FILTERS.find((filter) => filter === given);
    if (found) return found;
    throw errors.validation(
      'publication-filter-invalid',
      `Invalid value for 'publicationFilter'. Expected one of: ${PUBLICATION_FILTERS.join(', ')}.`,
      { source: 'query', param: 'publicationFilter' },
    );
  }
  if (isAbsent(older)) return null;
  const found = legacyValues.get(older);
  if (found) return found;
  throw errors.validation(
    'has-published-version-invalid',
    "Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
  );
}

/**
 * `status`. If absent: published in REST, draft in the Document Service. An unknown word means draft, or is a
 * 400 in strict mode. A caller who may not read drafts gets a 403.
 */
export function planStatus(
  raw: RawValue,
  type: ContentType,
  drafts: boolean,
  settings: QuerySettings,
): Status {
  const status = readStatus(raw, settings);
  const refused = status === 'draft' && !drafts;
  if (refused && !isAbsent(raw) && type.draftAndPublish) throw errors.forbidden();
  return refused ? 'published' : status;
}

function readStatus(raw: RawValue, settings: QuerySettings): Status {
  if (raw === 'published' || raw === 'draft') return raw;
  if (raw === undefined) return settings.mode === 'rest' ? 'published' : 'draft';
  if (settings.strictValues && raw !== '' && raw !== null)
    throw errors.validation(
      'strict-status-invalid',
      `Invalid parameter at 'status'. Expected 'published' or 'draft', received: ${shorten(asText(raw))}`,
    );
  return 'draft';
}
