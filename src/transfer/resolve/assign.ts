import type { ContentType } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import { existingNames } from '../../store/transfer/import-entries.js';
import { inBatches } from '../run/batches.js';
import type { Import } from '../run/context.js';
import { type EntryRow, type PlaceRow, placeOf, statusesOfRow } from '../run/rows.js';
import { derivedId } from '../source/derived-id.js';
import { moved } from '../source/types.js';
import { standsFor, withRoots } from './pair.js';

/** Assigns every row to a document, so that each version of a document in a locale has one row. */
export const assign = (run: Import): Promise<void> =>
  inBatches<EntryRow>(run, { name: 'rows', order: 'n' }, (rows) => assignBatch(run, rows));

/** A row with its document and locale; `locale` is null in a type that is not localized. */
interface Seat {
  readonly row: EntryRow;
  readonly type: ContentType;
  readonly locale: string | null;
  documentId: string;
}

async function assignBatch(run: Import, rows: readonly EntryRow[]): Promise<void> {
  const { staging, source, schema } = run;
  const groups = await withRoots(
    staging,
    rows.map(({ _id }) => _id),
  );
  const known = await knownNames(run, rows);
  const seats = rows.flatMap((row): Seat[] => {
    const { uid } = placeOf(row._id);
    const type = schema.contentTypes.get(uid);
    if (!type) return [];
    const documentId =
      known.get(`${uid} ${row.name ?? ''}`) ??
      row.documentId ??
      source.documentIdOf(placeOf(standsFor(groups, row._id)));
    return [{ row, type, locale: type.localized ? row.locale : null, documentId }];
  });
  const free = await takePlaces(run, seats);
  for (const seat of seats)
    if (!free.has(seat.row._id)) {
      const wanted = seat.documentId;
      await seatElsewhere(run, seat);
      const why = `${wanted} has another entry${seat.locale === null ? '' : ` in ${seat.locale}`}: it is the document ${seat.documentId} of its own`;
      run.report(moved('entry', seat.row._id, why));
    }
  await staging.replace(
    'rows',
    seats.flatMap(({ row, documentId }) => (row.documentId === documentId ? [] : [{ ...row, documentId }])),
  );
}

const placesOf = (seat: Seat): PlaceRow[] =>
  statusesOfRow(seat.type, seat.row).map((status) => ({
    _id: [seat.type.uid, seat.documentId, seat.locale ?? '', status].join(' '),
    row: seat.row._id,
  }));

/** The rows that got all of their places. If two want the same place, the first in the source gets it. */
async function takePlaces({ staging }: Import, seats: readonly Seat[]): Promise<ReadonlySet<string>> {
  const wanted = seats.flatMap(placesOf);
  await staging.add('places', wanted);
  const found = await staging.find<PlaceRow>(
    'places',
    wanted.map(({ _id }) => _id),
  );
  return new Set(
    seats
      .filter((seat) => placesOf(seat).every(({ _id, row }) => found.get(_id)?.row === row))
      .map(({ row }) => row._id),
  );
}

/** Gives a row whose place is taken a document of its own, the same one in each import. */
async function seatElsewhere(run: Import, seat: Seat): Promise<void> {
  const { type, documentId, locale } = seat;
  for (let number = 1; ; number += 1) {
    seat.documentId = derivedId(type.uid, documentId, locale, number);
    if ((await takePlaces(run, [seat])).size > 0) return;
  }
}

/** In mode `merge`, a role or account whose name already exists is identified with the existing one. */
async function knownNames(
  { store, mode }: Import,
  rows: readonly EntryRow[],
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  if (mode === 'replace') return known;
  for (const [uid, collection, field] of [
    [ROLE_UID, 'mangrove.roles', 'type'],
    [USER_UID, 'mangrove.users', 'username'],
  ] as const) {
    const names = rows.flatMap(({ _id, name }) =>
      name !== undefined && placeOf(_id).uid === uid ? [name] : [],
    );
    for (const [name, documentId] of await existingNames(store.db, collection, field, names))
      known.set(`${uid} ${name}`, documentId);
  }
  return known;
}
