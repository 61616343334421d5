/** The published entries of a type as they will be when what is scheduled has been carried out. */
import type { EntryName, ToCome } from '../../query/read-plan.js';
import type { ContentType } from '../../schema/types.js';
import { groupBy } from '../../values/group.js';
import { allMatch, anyMatch } from '../rows/combine.js';
import type { Match, Source } from '../types.js';
import { storedAs } from './stored.js';

/** Published entries without those that will be replaced or removed, and the drafts that will be published. */
export function sourcesToCome(
  type: ContentType,
  { published, unpublished }: ToCome,
): readonly [Source, ...Source[]] {
  const without = byLocale([...published, ...unpublished]).map(([locale, documentIds]): Match => {
    const others = { documentId: { $nin: documentIds } };
    return type.localized ? anyMatch([{ locale: { $ne: locale } }, others]) : others;
  });
  const stays: Source = { ...storedAs(type, 'published'), match: allMatch(without) };
  if (published.length === 0) return [stays];
  const those = byLocale(published).map(
    ([locale, documentIds]): Match => ({
      documentId: { $in: documentIds },
      ...(type.localized && { locale: { $eq: locale } }),
    }),
  );
  return [stays, { ...storedAs(type, 'draft'), status: 'published', match: anyMatch(those) }];
}

const byLocale = (entries: readonly EntryName[]): readonly (readonly [string | null, readonly string[]])[] =>
  [...groupBy(entries, ({ locale }) => locale)].map(
    ([locale, some]) => [locale, some.map(({ documentId }) => documentId)] as const,
  );
