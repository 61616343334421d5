import { errors } from '../../errors.js';
import type { QueryNode, RawValue } from '../ast.js';
import type { Caller, PublicationFilter } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { isAbsent } from '../values.js';

export const PUBLICATION_FILTERS: readonly PublicationFilter[] = [
  'never-published',
  'has-published-version',
  'modified',
  'unmodified',
  'never-published-document',
  'has-published-version-document',
  'published-without-draft',
  'published-with-draft',
];

const olderForm: ReadonlyMap<RawValue, PublicationFilter> = new Map<RawValue, PublicationFilter>([
  [true, 'has-published-version-document'],
  ['true', 'has-published-version-document'],
  [false, 'never-published-document'],
  ['false', 'never-published-document'],
]);

/** Which published entries these give depends on drafts: they are closed to strangers as the drafts themselves are. */
const tellsOfDrafts: ReadonlySet<PublicationFilter> = new Set<PublicationFilter>([
  'modified',
  'unmodified',
  'published-without-draft',
  'published-with-draft',
]);

type PublicationNode = Pick<QueryNode, 'publicationFilter' | 'hasPublishedVersion'>;

/** `publicationFilter`, or the older `hasPublishedVersion` (rules A.10). 400 for other values; null: no restriction. */
export function planPublication(
  node: PublicationNode,
  caller: Caller,
  { publicDrafts }: QuerySettings,
): PublicationFilter | null {
  const filter = readPublication(node);
  const stranger = caller.anonymous === true && !publicDrafts;
  if (stranger && filter !== null && tellsOfDrafts.has(filter)) throw errors.forbidden();
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
  const found = olderForm.get(older);
  if (found) return found;
  throw errors.validation(
    'has-published-version-invalid',
    "Invalid value for 'hasPublishedVersion'. Expected boolean or 'true'/'false' string.",
    { source: 'query', param: 'hasPublishedVersion' },
  );
}
