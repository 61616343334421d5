import type { Doc } from '../pipeline/types.js';

/** Renders a row: an entry, or one of its component items. `entry` has the populate fields. */
export type Projector = (row: Doc, entry: Doc) => Doc;

/** Renders a stored value of a row. */
export type Placing = (value: unknown, entry: Doc) => unknown;

/** A member of an answer and where its value comes from. */
export type Member =
  /** A stored value, converted if `convert` is given; null if missing. */
  | {
      readonly name: string;
      readonly stored: string;
      readonly convert: ((value: unknown) => unknown) | undefined;
    }
  /** Component items, each rendered. */
  | { readonly name: string; readonly stored: string; readonly place: Placing }
  /** Computed from the row and the entry's populate fields. */
  | { readonly name: string; readonly of: (row: Doc, entry: Doc) => unknown };

/** Renders a row as `{ name: value, … }`. */
export const projector =
  (members: readonly Member[]): Projector =>
  (row, entry) => {
    const shown: Record<string, unknown> = {};
    for (const member of members) shown[member.name] = memberValue(member, row, entry);
    return shown;
  };

function memberValue(member: Member, row: Doc, entry: Doc): unknown {
  if ('of' in member) return member.of(row, entry);
  const value = row[member.stored] ?? null;
  if ('place' in member) return member.place(value, entry);
  return value === null || member.convert === undefined ? value : member.convert(value);
}
