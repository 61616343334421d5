/**
 * Drafts of adopted collections (docs/on-mongodb.md, "Drafts"). A draft is stored only while it differs from the
 * published document; a published document without one is its own draft.
 */
import { schemaAttribute } from '../../query/attributes.js';
import type { PublicationFilter } from '../../query/read-plan.js';
import type { ContentType, Status } from '../../schema/types.js';
import type { PublicationRule, Source } from '../types.js';
import { storedAs } from './stored.js';

/** Which rows `publicationFilter` keeps; `undrafted`: of the documents that are their own drafts. */
const PUBLICATION: Readonly<
  Record<PublicationFilter, Readonly<Record<Status | 'undrafted', PublicationRule>>>
> = {
  'never-published': { draft: { sibling: false }, undrafted: 'none', published: 'none' },
  'has-published-version': { draft: { sibling: true }, undrafted: 'all', published: 'all' },
  modified: { draft: { sibling: true }, undrafted: 'none', published: { sibling: true } },
  unmodified: { draft: 'none', undrafted: 'all', published: { sibling: false } },
  'never-published-document': { draft: { sibling: false }, undrafted: 'none', published: 'none' },
  'has-published-version-document': { draft: { sibling: true }, undrafted: 'all', published: 'all' },
  'published-without-draft': { draft: 'none', undrafted: 'none', published: 'none' },
  'published-with-draft': { draft: 'none', undrafted: 'none', published: 'all' },
};

/** The sources of an adopted type with drafts. */
export function adoptedSources(type: ContentType, status: Status): readonly [Source, ...Source[]] {
  const published = storedAs(type, 'published');
  if (status === 'published')
    return [{ ...published, publication: (filter) => PUBLICATION[filter].published }];
  const drafts: Source = {
    ...storedAs(type, 'draft'),
    publication: (filter) => PUBLICATION[filter].draft,
  };
  const publishedAt = schemaAttribute(type, 'publishedAt');
  const undrafted: Source = {
    ...published,
    status,
    except: drafts,
    nulls: publishedAt?.kind === 'scalar' && publishedAt.system ? [publishedAt] : [],
    publication: (filter) => PUBLICATION[filter].undrafted,
  };
  return [undrafted, drafts];
}
