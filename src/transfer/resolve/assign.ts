import type { ContentType } from '../../schema/types.js';
import { ROLE_UID, USER_UID } from '../../schema/uids.js';
import { existingNames } from '../../store/transfer/import-entries.js';
import { eachStagedBatch } from '../run/batches.js';
import type { Import } from '../run/context.js';
import { type EntryRow, type PlaceRow, parseRowKey, placeKey, statusesOfRow } from '../run/rows.js';
import { derivedId } from '../source/derived-id.js';
import { moved } from '../source/types.js';
import { standsFor, withRoots } from './pair.js';

/** Assigns every row to a document, so that each version of a document in a locale has one row. */
export const assign = (run: Import): Promise<void> =>
  eachStagedBatch<EntryRow>(run, { name: 'rows', order: 'n' }, (rows) => assignBatch(run, rows));

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
    const { uid } = parseRowKey(row._id);
    const type = schema.contentTypes.get(uid);
    if (!type) return [];
    const documentId =
      known.get(`${uid} ${row.name ?? ''}`) ??
      row.documentId ??
      source.documentIdOf(parseRowKey(standsFor(groups, row._id)));
    return [{ row, type, locale: type.localized ? row.locale : null, documentId }];
  });
  const wanted = new Map(seats.map((seat) => [seat, seat.documentId]));
  const others = await withoutPlace(run, seats);
  await seatElsewhere(run, others);
  for (const seat of others) {
    const { row, locale, documentId } = seat;
    const why = `${wanted.get(seat)} has another entry${locale === null ? '' : ` in ${locale}`}: it is the document ${documentId} of its own`;
    run.report(moved('entry', row._id, why));
  }
  await staging.replace(
    'rows',
    seats.flatMap(({ row, documentId }) => (row.documentId === documentId ? [] : [{ ...row, documentId }])),
  );
}

const placesOf = (seat: Seat): PlaceRow[] =>
  statusesOfRow(seat.type, seat.row).map((status) => ({
    _id: placeKey({ ...seat, uid: seat.type.uid, status }),
    row: seat.row._id,
  }));

/** Takes the places of these seats; returns those whose places another row has, which is the first in the source. */
async function withoutPlace({ staging }: Import, seats: readonly Seat[]): Promise<readonly Seat[]> {
  const wanted = seats.flatMap(placesOf);
  await staging.add('places', wanted);
  const found = await staging.find<PlaceRow>(
    'places',
    wanted.map(({ _id }) => _id),
  );
  return seats.filter((seat) => !placesOf(seat).every(({ _id, row }) => found.get(_id)?.row === row));
}

/**
 * Gives rows whose place is taken a document of their own, the same one in each import. Its id is derived from
 * the row: thousands of rows may want one place, and would try the same ids one after the other.
 */
async function seatElsewhere(run: Import, others: readonly Seat[]): Promise<void> {
  let left = others;
  for (let number = 1; left.length > 0; number += 1) {
    for (const seat of left) seat.documentId = derivedId(seat.row._id, seat.locale, number);
    left = await withoutPlace(run, left);
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
      name !== undefined && parseRowKey(_id).uid === uid ? [name] : [],
    );
    for (const [name, documentId] of await existingNames(store.db, collection, field, names))
      known.set(`${uid} ${name}`, documentId);
  }
  return known;
}
