/**
 * `publicationFilter`: a condition on the other version of the document, which is in the other collection.
 */
import type { PublicationFilter } from '../../query/read-plan.js';
import { documentPath } from '../../schema/stored/paths.js';
import type { Status } from '../../schema/types.js';
import { ALWAYS, allMatch, isAlways, NEVER } from '../rows/combine.js';
import { parentLocale } from '../rows/locale.js';
import type { Match, PublicationRule, Source, Stage } from '../types.js';
import { storedAs } from './stored.js';

const RULES: Readonly<Record<PublicationFilter, Readonly<Record<Status, PublicationRule>>>> = {
  'never-published': { draft: { sibling: false }, published: 'none' },
  'has-published-version': { draft: { sibling: true }, published: 'all' },
  modified: { draft: { changed: true }, published: { changed: true } },
  unmodified: { draft: { changed: false }, published: { changed: false } },
  'never-published-document': { draft: { sibling: false, anyLocale: true }, published: 'none' },
  'has-published-version-document': { draft: { sibling: true, anyLocale: true }, published: 'all' },
  'published-without-draft': { draft: 'none', published: { sibling: false } },
  'published-with-draft': { draft: 'none', published: { sibling: true } },
};

const SIBLING = '_sibling';

/** @param visible the stages that leave those other versions that the caller may read */
export function publicationStages(
  filter: PublicationFilter | null,
  { type, status, moment, publication }: Source,
  visible: (source: Source) => readonly Stage[],
): readonly Stage[] {
  if (filter === null || !type.draftAndPublish) return [];
  const rule = publication?.(filter) ?? RULES[filter][status];
  if (rule === 'all') return [];
  if (rule === 'none') return [{ $match: NEVER }];
  const anyLocale = 'anyLocale' in rule || !type.localized;
  const other = storedAs(type, status === 'draft' ? 'published' : 'draft', moment);
  return [lookup(other, anyLocale, visible(other)), { $match: verdict(rule, status) }];
}

function lookup({ type, collection, match }: Source, anyLocale: boolean, visible: readonly Stage[]): Stage {
  const own = parentLocale('$eq');
  const among = allMatch([match, anyLocale ? ALWAYS : own.match]);
  return {
    $lookup: {
      from: collection,
      localField: documentPath(type),
      foreignField: documentPath(type),
      ...(anyLocale ? {} : { let: own.let }),
      pipeline: [
        ...(isAlways(among) ? [] : [{ $match: among }]),
        ...visible,
        { $limit: 1 },
        { $project: { _id: type.storage ? 1 : 0, updatedAt: 1 } },
      ],
      as: SIBLING,
    },
  };
}

function verdict(rule: Exclude<PublicationRule, string>, status: Status): Match {
  if ('sibling' in rule) return { [`${SIBLING}.0`]: { $exists: rule.sibling } };
  const sibling = { $arrayElemAt: [{ $map: { input: `$${SIBLING}`, in: '$$this.updatedAt' } }, 0] };
  const [draft, published] = status === 'draft' ? ['$updatedAt', sibling] : [sibling, '$updatedAt'];
  const comparison = rule.changed ? '$gt' : '$lte';
  return { [`${SIBLING}.0`]: { $exists: true }, $expr: { [comparison]: [draft, published] } };
}
