/**
 * `publicationFilter` (rules A.10): a condition on the other version of the document, which is in the other
 * collection.
 */
import type { PublicationFilter, Status, Version } from '../../query/read-plan.js';
import { seenAs } from '../../query/versions.js';
import { documentPath } from '../../schema/stored/paths.js';
import type { ContentType } from '../../schema/types.js';
import { collectionName } from '../collection.js';
import type { Match, Stage } from '../types.js';
import { NEVER } from './combine.js';
import { parentLocale } from './locale.js';

type VersionRule =
  | 'all'
  | 'none'
  /** Whether the other version exists in this locale, or in any locale. */
  | { readonly sibling: boolean; readonly anyLocale?: true }
  /** Both versions exist, and the draft was changed after publication or not. */
  | { readonly changed: boolean };

const RULES: Readonly<Record<PublicationFilter, Readonly<Record<Status, VersionRule>>>> = {
  'never-published': { draft: { sibling: false }, published: 'none' },
  'has-published-version': { draft: { sibling: true }, published: 'all' },
  modified: { draft: { changed: true }, published: { changed: true } },
  unmodified: { draft: { changed: false }, published: { changed: false } },
  'never-published-document': { draft: { sibling: false, anyLocale: true }, published: 'none' },
  'has-published-version-document': { draft: { sibling: true, anyLocale: true }, published: 'all' },
  'published-without-draft': { draft: 'none', published: { sibling: false } },
  'published-with-draft': { draft: 'none', published: { sibling: true } },
};

/**
 * A draft of an adopted document exists only while it differs from the published one; published documents
 * without a draft are their own drafts, and unmodified.
 */
const ADOPTED: Readonly<Record<PublicationFilter, Readonly<Record<Version, VersionRule>>>> = {
  'never-published': { draft: { sibling: false }, undrafted: 'none', published: 'none' },
  'has-published-version': { draft: { sibling: true }, undrafted: 'all', published: 'all' },
  modified: { draft: { sibling: true }, undrafted: 'none', published: { sibling: true } },
  unmodified: { draft: 'none', undrafted: 'all', published: { sibling: false } },
  'never-published-document': { draft: { sibling: false }, undrafted: 'none', published: 'none' },
  'has-published-version-document': { draft: { sibling: true }, undrafted: 'all', published: 'all' },
  'published-without-draft': { draft: 'none', undrafted: 'none', published: 'none' },
  'published-with-draft': { draft: 'none', undrafted: 'none', published: 'all' },
};

const SIBLING = '_sibling';

export function publicationStages(
  filter: PublicationFilter | null,
  type: ContentType,
  version: Version,
): readonly Stage[] {
  if (filter === null || !type.draftAndPublish) return [];
  const status = seenAs(version);
  const rule = type.storage ? ADOPTED[filter][version] : RULES[filter][status];
  if (rule === 'all') return [];
  if (rule === 'none') return [{ $match: NEVER }];
  const anyLocale = 'anyLocale' in rule || !type.localized;
  return [lookup(type, status, anyLocale), { $match: verdict(rule, status) }];
}

function lookup(type: ContentType, status: Status, anyLocale: boolean): Stage {
  const own = parentLocale('$eq');
  return {
    $lookup: {
      from: collectionName(type, status === 'draft' ? 'published' : 'draft'),
      localField: documentPath(type),
      foreignField: documentPath(type),
      ...(anyLocale ? {} : { let: own.let }),
      pipeline: [
        ...(anyLocale ? [] : [{ $match: own.match }]),
        { $limit: 1 },
        { $project: { _id: type.storage ? 1 : 0, updatedAt: 1 } },
      ],
      as: SIBLING,
    },
  };
}

function verdict(rule: Exclude<VersionRule, string>, status: Status): Match {
  if ('sibling' in rule) return { [`${SIBLING}.0`]: { $exists: rule.sibling } };
  const sibling = { $arrayElemAt: [{ $map: { input: `$${SIBLING}`, in: '$$this.updatedAt' } }, 0] };
  const [draft, published] = status === 'draft' ? ['$updatedAt', sibling] : [sibling, '$updatedAt'];
  const comparison = rule.changed ? '$gt' : '$lte';
  return { [`${SIBLING}.0`]: { $exists: true }, $expr: { [comparison]: [draft, published] } };
}
