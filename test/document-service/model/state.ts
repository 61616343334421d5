/** What the model stores: the versions of every document, as plain values. */
import { TYPES, type TypeName } from './shape.js';

export type Scalar = string | number | null;
export type Status = 'draft' | 'published';

/**
 * A reference names a document (rules 0.4, row 8). `place` is its position in the list of the other side: one float for
 * each link (F.2).
 */
export interface Link {
  readonly doc: string;
  /** If a source without locales refers to a localized document; otherwise null. */
  readonly locale: string | null;
  readonly place: number;
}

export interface Content {
  scalars: Record<string, Scalar>;
  links: Record<string, readonly Link[]>;
  items: Record<string, Item[]>;
}

export interface Item extends Content {
  readonly uid: string;
  /** Null: assigned by the service in the last call, and not read yet. */
  id: number | null;
}

/** One version of a document in one locale. Types without Draft & Publish only have published versions. */
export interface Row extends Content {
  readonly type: TypeName;
  readonly doc: string;
  readonly locale: string | null;
  readonly status: Status;
  id: number | null;
  /**
   * Owners of a two-way relation named from the other side by writes to this draft, until it is published or discarded.
   */
  named: Record<string, string[]>;
}

export interface State {
  rows: Row[];
  /** Every documentId ever used, so that deleted documents are requested too. */
  docs: Record<TypeName, string[]>;
  clock: number;
}

export const DEFAULT_LOCALE = 'en';

export const emptyState = (): State => ({
  rows: [],
  docs: { page: [], book: [], writer: [], tag: [] },
  clock: 0,
});

/** The version that is written first: the draft, or a type's only version. */
export const writtenStatus = (type: TypeName): Status => (TYPES[type].drafts ? 'draft' : 'published');

/** The version that a read of `status` finds. */
export const readStatus = (type: TypeName, status: Status): Status =>
  TYPES[type].drafts ? status : 'published';

export const rowsOf = (state: State, type: TypeName, doc: string, status: Status): Row[] =>
  state.rows.filter((row) => row.type === type && row.doc === doc && row.status === status);

export const rowOf = (
  state: State,
  type: TypeName,
  doc: string,
  locale: string | null,
  status: Status,
): Row | undefined => rowsOf(state, type, doc, status).find((row) => row.locale === locale);

/** The locale in which `source` sees a document of `target` (rules F.3). */
export function targetLocale(
  source: { readonly type: TypeName; readonly locale: string | null },
  target: TypeName,
  given: string | null,
): string | null {
  if (!TYPES[target].locales) return null;
  return TYPES[source.type].locales ? source.locale : (given ?? DEFAULT_LOCALE);
}

export function remove(state: State, gone: readonly Row[]): void {
  state.rows = state.rows.filter((row) => !gone.includes(row));
}

/** A copy whose component items get new ids (rules G.5). */
export function copyContent({ scalars, links, items }: Content): Content {
  return {
    scalars: { ...scalars },
    links: { ...links },
    items: Object.fromEntries(
      Object.entries(items).map(([name, list]) => [name, list.map((item) => copyItem(item))]),
    ),
  };
}

const copyItem = (item: Item): Item => ({ ...copyContent(item), uid: item.uid, id: null });
