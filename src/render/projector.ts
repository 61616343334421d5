import type { Doc } from '../pipeline/types.js';

/** Shows a row, which is an entry or an item of its components; `entry` holds the side fields. */
export type Projector = (row: Doc, entry: Doc) => Doc;

/** Shows a stored value that stands in a row of an entry. */
export type Placing = (value: unknown, entry: Doc) => unknown;

/** One member of an answer and where its value comes from. */
export type Member =
  /** A stored value, null where it is missing; converted where there is a way to. */
  | {
      readonly name: string;
      readonly stored: string;
      readonly convert: ((value: unknown) => unknown) | undefined;
    }
  /** Component items, shown one by one. */
  | { readonly name: string; readonly stored: string; readonly place: Placing }
  /** What the row and its side fields give together. */
  | { readonly name: string; readonly of: (row: Doc, entry: Doc) => unknown };

/** Builds `{ name: value, … }` of a row. */
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
