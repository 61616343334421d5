import { existingType } from '../../schema/find.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import { headsOf, renewRevisions } from '../../store/transfer/import-entries.js';
import { groupBy } from '../../values/group.js';
import type { Import } from '../run/context.js';
import { type AgainRow, type EntryRow, type PlaceRow, placeKey } from '../run/rows.js';
import type { ToWrite } from './store-versions.js';

/** A document in a locale, and the number of its published row. */
interface Place {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly n: number;
}

const placeOf = ({ version: { type, row, documentId } }: ToWrite): Place => ({
  type,
  documentId,
  locale: type.localized ? row.locale : null,
  n: row.n,
});

const draftOf = (place: Place): string => placeKey({ ...place, uid: place.type.uid, status: 'draft' });

/**
 * Notes the drafts that others have deleted between the batch that stored them and the one that stored what is
 * published, to be written again at the end. The other drafts get new revisions, as if they were published: who
 * has read one as unpublished does not remove it alone.
 */
export async function noteLostDrafts(run: Import, stored: readonly ToWrite[]): Promise<void> {
  if (run.mode !== 'merge' || run.dryRun) return;
  const ofStatus = (status: Status): readonly Place[] =>
    stored
      .filter(({ version: { type, status: own } }) => type.draftAndPublish && own === status)
      .map(placeOf);
  const own = new Set(ofStatus('draft').map(draftOf));
  const published = ofStatus('published').filter((place) => !own.has(draftOf(place)));
  for (const [type, places] of groupBy(published, (place) => place.type)) {
    await renewRevisions(run.store.db, collectionName(type, 'draft'), idsOf(places));
    const lost = (await storedIn(run, type, 'draft', places)).missing;
    // With its published entry, a document was deleted as a whole.
    await noteRows(run, (await storedIn(run, type, 'published', lost)).found);
  }
}

/** The keys of noted rows whose document is still published. */
export async function lostDrafts(run: Import, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const noted = await run.staging.find<AgainRow>('again', keys);
  const lost = new Set<string>();
  for (const [uid, rows] of groupBy(noted.values(), (row) => row.uid)) {
    const { found } = await storedIn(run, existingType(run.schema, uid), 'published', rows);
    for (const { _id } of found) lost.add(_id);
  }
  return lost;
}

const idsOf = (places: readonly { readonly documentId: string }[]): readonly string[] => [
  ...new Set(places.map(({ documentId }) => documentId)),
];

type Key = Pick<Place, 'documentId' | 'locale'>;

/** Which of these a collection has. */
async function storedIn<T extends Key>(
  { store }: Import,
  type: ContentType,
  status: Status,
  places: readonly T[],
) {
  if (places.length === 0) return { found: [], missing: [] };
  const keyOf = ({ documentId, locale }: Key): string => `${documentId} ${locale ?? ''}`;
  const heads = await headsOf(store.db, collectionName(type, status), idsOf(places));
  const keys = new Set(heads.map(keyOf));
  return {
    found: places.filter((place) => keys.has(keyOf(place))),
    missing: places.filter((place) => !keys.has(keyOf(place))),
  };
}

/** Notes the rows of drafts that have been written; those of others follow in the source, or are not in it. */
async function noteRows({ staging }: Import, lost: readonly Place[]): Promise<void> {
  const places = await staging.find<PlaceRow>('places', lost.map(draftOf));
  const keys = [...places.values()].map(({ row }) => row);
  const rows = await staging.find<EntryRow>('rows', keys);
  const again = lost.flatMap((place): AgainRow[] => {
    const row = rows.get(places.get(draftOf(place))?.row ?? '');
    if (!row || row.n >= place.n) return [];
    const { type, documentId, locale } = place;
    return [{ _id: row._id, uid: type.uid, documentId, locale }];
  });
  await staging.add('again', again);
}
