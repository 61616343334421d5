/**
 * What the pipeline produces: plain MongoDB documents with slots for values that are known only when a read
 * runs.
 */
import type { Moment, PublicationFilter } from '../query/read-plan.js';
import type { ContentType, ScalarAttribute, Status } from '../schema/types.js';

export type Doc = Readonly<Record<string, unknown>>;
/** The documents of a list; none if `value` is not a list. */
export const documentsOf = (value: unknown): readonly Doc[] => (Array.isArray(value) ? value : []);

/** The filter document of a `$match`. `{}` matches everything. */
export type Match = Doc;
export type Stage = Doc;
/** An aggregation expression. */
export type Expression = unknown;

/** A placeholder for a value that is known only when the read runs. */
export class Slot {
  readonly of: SlotName;
  constructor(of: SlotName) {
    this.of = of;
  }
}

/**
 * A number: the values found by the semi-join of this number. `documentId`: the requested document. `keys`: what its `_id` may be in an adopted collection. `documentIds`: several
 * documents. `page`: the ids of the page.
 */
export type SlotName = number | 'documentId' | 'documentIds' | 'keys' | 'page';

/**
 * A filter through a relation that is resolved before the read: `stages` return rows of `source`, and the
 * values of their `field` replace the slot. The stages may contain slots of the semi-joins in `needs`.
 */
export interface SemiJoin {
  readonly number: number;
  readonly source: Source;
  readonly stages: readonly Stage[];
  /** `documentId`, or the owning attribute of an inverse relation. */
  readonly field: string;
  /** Whether its values are needed in all their forms, as string and as ObjectId or number. */
  readonly texts?: boolean;
  readonly needs: readonly number[];
  /** A test that only this process can do. */
  readonly check?: Check;
}

/**
 * Tests the value at `path` of the rows, or of component items in them; `field` then belongs to those that
 * pass.
 */
export interface Check {
  /** The steps from a row to the items; empty for the row itself. */
  readonly items: readonly Step[];
  readonly path: readonly string[];
  passes(value: unknown): boolean;
}

/** Rows of a content type in one collection (see `sourcesOf`). */
export interface Source {
  readonly type: ContentType;
  /** The status that the caller sees in these rows. */
  readonly status: Status;
  readonly collection: string;
  /** Which documents of the collection are its rows; `{}`: all of them. */
  readonly match: Match;
  /** The time at which it is read; null: now. */
  readonly moment: Moment | null;
  /** Rows are left out if their `_id` also occurs there. */
  readonly except: Source | null;
  /** Attributes that are null in these rows, whatever is stored. */
  readonly nulls: readonly ScalarAttribute[];
  /** The rules of `publicationFilter`, unless they follow from the status. */
  readonly publication: ((filter: PublicationFilter) => PublicationRule) | null;
}

/** Which rows a `publicationFilter` keeps. */
export type PublicationRule =
  | 'all'
  | 'none'
  /** Whether the other version exists in this locale, or in any locale. */
  | { readonly sibling: boolean; readonly anyLocale?: true }
  /** Both versions exist, and the draft was changed after publication or not. */
  | { readonly changed: boolean };

/**
 * How a plan is compiled. Every form returns the same rows; which one is fastest depends on the server
 * (docs/decisions/001). Some forms have a size limit, beyond which another is used.
 */
export interface ReadForm {
  /** Numbers of the semi-joins with too many ids for a list; they use `$lookup` instead. */
  readonly byLookup: ReadonlySet<number>;
  /** Populated entries are looked up for each row, or for all rows of the page at once. */
  readonly populate: LookupForm;
  /**
   * The targets of a sort through relations are looked up for each matching entry, or for all of them at
   * once.
   */
  readonly sort: LookupForm;
  /** In sets: whether a lookup finds its keys by a path through the list of rows, if the server supports that. */
  readonly keyPaths: boolean;
}

export type LookupForm = 'rows' | 'sets';

export const BY_ROW: ReadForm = Object.freeze({
  byLookup: new Set<number>(),
  populate: 'rows',
  sort: 'rows',
  keyPaths: false,
});

/**
 * One populated path of a read in sets, which returns a single document of lists. Each row of the list `from`
 * gets, as `field`, the rows of the list `found` that share a key with it.
 */
export interface SetJoin {
  readonly from: string;
  readonly found: string;
  readonly field: string;
  readonly localKeys: KeysOf;
  readonly foreignKeys: KeysOf;
  /** Only rows of the same locale, or only those of others; null: all. */
  readonly locale: 'same' | 'other' | null;
}

export type KeysOf = (row: Doc) => readonly unknown[];

/** A sort in sets: the ids of all matching entries are sorted first, then the page is read by ids. */
export interface Ordering {
  /**
   * Appended to the stages of the matching entries. They return one document of lists, or none if nothing
   * matches.
   */
  readonly stages: readonly Stage[];
  readonly keys: readonly OrderKey[];
}

export interface OrderKey {
  /** The list of its values or references, one per group. */
  readonly field: string;
  readonly direction: 1 | -1;
  /** The lists of the targets' values; empty if the value is the entry's own. */
  readonly fields: readonly string[];
}

/** Converts a row of an adopted collection to an entry with the plan's names. */
export type Shape = (row: Doc) => Doc;

export interface CompiledRead {
  readonly source: Source;
  readonly form: ReadForm;
  /** If it has the values of one caller: the read that callers share, and how these are filled into another of its forms. */
  readonly bound?: { readonly shared: CompiledRead; bind(read: CompiledRead): CompiledRead } | null;
  /** The same plan compiled to another form. */
  inForm(form: ReadForm): CompiledRead;
  /** If set, `stages` read the entries whose ids fill the slot `page`, in any order. */
  readonly ordering: Ordering | null;
  /** Parents first. If not empty, the stages return one document, whose `rows` are the page. */
  readonly setJoins: readonly SetJoin[];
  readonly semiJoins: readonly SemiJoin[];
  /** The stages of the whole read. */
  readonly stages: readonly Stage[];
  /** The stages whose rows `total` counts; if empty, all entries of the collection. */
  readonly counted: readonly Stage[];
  /** Whether `total` was requested. */
  readonly withTotal: boolean;
  /** Whether a server may reject the read because of values stored by other programs. */
  readonly dependsOnAdopted: boolean;
  readonly skip: number;
  readonly limit: number | null;
}

/** One attribute on the way from an entry to something inside its components. */
export interface Step {
  readonly name: string;
  /** The path of the attribute in its model. */
  readonly stored: string;
  /** Whether it is a repeatable component or a zone. */
  readonly list: boolean;
  /** In a zone: the component whose items are meant. */
  readonly component?: string;
  /** Whether the collection is adopted, so that values of any type may occur. */
  readonly adopted: boolean;
}
