import { FILE_UID } from '../../schema/uids.js';
import { isObject, numberOf, type PlainObject } from '../../values/plain-object.js';
import { lost, noted, type SourceKey, type SourceRecord } from '../source/types.js';
import type { StrapiVersion } from './head.js';
import type { ArchiveNames } from './names.js';

interface Reading {
  readonly version: StrapiVersion;
  readonly names: ArchiveNames;
}

interface End extends SourceKey {
  readonly field: string | null;
  readonly position: number | null;
}

const isRef = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

const endOf = (value: unknown, names: ArchiveNames): End | null =>
  isObject(value) && typeof value['type'] === 'string' && isRef(value['ref'])
    ? {
        uid: value['type'],
        ref: String(value['ref']),
        field: typeof value['field'] === 'string' ? names.of(value['type'], value['field']) : null,
        position: numberOf(value['pos']),
      }
    : null;

const isAdmin = ({ uid }: SourceKey): boolean => uid.startsWith('admin::');

/**
 * Reads a line of `links`: a reference, two locales of one document (version 4), or something that is not
 * stored.
 */
export function* linkRecord(line: PlainObject, { version, names }: Reading): Generator<SourceRecord> {
  const left = endOf(line['left'], names);
  const right = endOf(line['right'], names);
  if (!left || !right) {
    const at = JSON.stringify(line).slice(0, 200);
    return yield noted(lost('link', at, 'not a link'));
  }
  if (left.field === 'localizations') {
    // In version 5, this only links a row to its own documentId.
    if (version === 4) yield { kind: 'siblings', pair: { uid: left.uid, refs: [left.ref, right.ref] } };
    return;
  }
  // The creators of entries are administrators, which archives do not contain.
  if (isAdmin(left) || isAdmin(right)) return;
  // A file's `related` is the inverse of every media attribute, although archives represent it as the owner.
  if (left.uid === FILE_UID && left.field === 'related') {
    return yield right.field === null
      ? unnamed(left, right)
      : link({ from: right, field: right.field, to: left, position: right.position });
  }
  if (left.field === null) return yield unnamed(left, right);
  const { mangrove } = line;
  const standIn = isObject(mangrove) && mangrove['standIn'] === true;
  const ends = { from: left, field: left.field, to: right };
  // In polymorphic lists, the position is on the right.
  const found =
    line['kind'] === 'relation.morph'
      ? link({ ...ends, position: right.position })
      : link({ ...ends, position: left.position, inversePosition: right.position });
  yield standIn ? { ...found, link: { ...found.link, standIn } } : found;
}

interface Ends {
  readonly from: End;
  readonly field: string;
  readonly to: End;
  readonly position: number | null;
  readonly inversePosition?: number | null;
}

const link = ({
  from,
  field,
  to,
  position,
  inversePosition = null,
}: Ends): Extract<SourceRecord, { kind: 'link' }> => ({
  kind: 'link',
  link: {
    from: { uid: from.uid, ref: from.ref },
    field,
    to: { uid: to.uid, ref: to.ref },
    position,
    inversePosition,
  },
});

const unnamed = (left: End, right: End): SourceRecord =>
  noted(lost('link', `${left.uid} ${left.ref} → ${right.uid} ${right.ref}`, 'it names no attribute'));
