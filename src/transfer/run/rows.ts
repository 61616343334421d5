/** The staged data of an import: one document of each kind in `mangrove.import.<name>`. */

import type { ContentType, Status } from '../../schema/types.js';
import type {
  ImportProblem,
  SourceEntry,
  SourceGrant,
  SourceKey,
  SourceLink,
  SourceLocale,
  SourceToken,
} from '../source/types.js';

/** The key of an entry or component item. Uids contain no spaces. */
export const rowKey = ({ uid, ref }: SourceKey): string => `${uid} ${ref}`;

export const parseRowKey = (key: string): SourceKey => {
  const at = key.indexOf(' ');
  return { uid: key.slice(0, at), ref: key.slice(at + 1) };
};

/** `rows`: every selected entry, by `rowKey`. */
export interface EntryRow extends Pick<SourceEntry, 'documentId' | 'locale' | 'versions'> {
  readonly _id: string;
  /** The number of the row among the entries of the source. */
  readonly n: number;
  /** The name that identifies an existing entry: the type of a role, the username of an account. */
  readonly name?: string;
}

/** `links`: every reference, by number; `from` and `to` are the result of `rowKey`. */
export interface LinkRow extends Omit<SourceLink, 'from' | 'to'> {
  readonly _id: number;
  readonly from: string;
  readonly to: string;
  /** Given by the inverse attribute; a relation may be given by both sides. */
  readonly fromInverse?: true;
}

/** `pairs`: two rows of one document. */
export interface PairRow {
  readonly _id: number;
  readonly keys: readonly [string, string];
}

/** `groups`: a row with siblings and its parent, in a tree whose root represents the document. */
export interface GroupRow {
  readonly _id: string;
  readonly up: string | null;
  /** 0 in the default locale, otherwise 1; the row with the lower rank represents the group. */
  readonly rank: number;
  readonly n: number;
}

/** `places`: the row that has this version of a document. */
export interface PlaceRow {
  readonly _id: string;
  readonly row: string;
}

/** The version of a document in a locale, which is null in a type that is not localized. */
export const placeKey = (place: {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: Status;
}): string => [place.uid, place.documentId, place.locale ?? '', place.status].join(' ');

/** `again`: the row of a draft that others deleted before what is published was stored. */
export interface AgainRow {
  readonly _id: string;
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
}

/** `items`: the first row that contains a component item with links. */
export type ItemRow = PlaceRow;

/** `problems`: the lines of the report, also by the row or attribute that they are about. */
export interface StagedProblem {
  readonly _id: string;
  readonly place: string;
  readonly problem: ImportProblem;
}

/** `differences`: what the stored content lacks. */
export interface StagedDifference {
  readonly _id: string;
  readonly text: string;
}

/** The first two words of a problem's place, such as `api::article.article 17`. */
export const placeKeyOf = (at: string): string => at.split(' ', 2).join(' ');

type Keyed<T> = T & { readonly _id: string };

/** The records of the source, by the name under which they are staged. */
export interface StagedRows {
  readonly rows: EntryRow;
  readonly links: LinkRow;
  readonly pairs: PairRow;
  /** By role and action. */
  readonly grants: Keyed<SourceGrant>;
  readonly locales: Keyed<SourceLocale>;
  readonly tokens: Keyed<SourceToken>;
}

/** The versions that a row produces. */
export const statusesOfRow = (
  { draftAndPublish }: ContentType,
  { versions }: Pick<EntryRow, 'versions'>,
): readonly Status[] => {
  if (!draftAndPublish) return ['published'];
  return versions === 'both' ? ['published', 'draft'] : [versions];
};

/** The references of one attribute, in the order of the source. */
export const linksIn = (rows: readonly LinkRow[], field: string): readonly LinkRow[] =>
  rows
    .filter((row) => row.field === field)
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || a._id - b._id);
