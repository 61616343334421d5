/** What the pipeline room makes: plain MongoDB documents, with a few slots that are filled when a read runs. */
import type { Version } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';

export type Doc = Readonly<Record<string, unknown>>;
/** The documents of a list; none where there is no list. */
export const documentsOf = (value: unknown): readonly Doc[] => (Array.isArray(value) ? value : []);

/** A filter document of `$match`. `{}` is always true. */
export type Match = Doc;
export type Stage = Doc;
/** An aggregation expression. */
export type Expression = unknown;

/** Stands in a match for a value that is known only when the read runs. */
export class Slot {
  readonly of: SlotName;
  constructor(of: SlotName) {
    this.of = of;
  }
}

/**
 * The number of a semi-join, whose list of values it becomes; the value that is asked for; the document that is asked for, or what its `_id` may be in
 * an adopted collection; several documents; the ids of the page.
 */
export type SlotName = number | 'value' | 'documentId' | 'documentIds' | 'keys' | 'page';

/**
 * A filter through a relation, resolved before the read: `stages` give rows of `source`, whose values of `field` stand for the
 * slot. The stages may hold slots of the semi-joins named in `needs`.
 */
export interface SemiJoin {
  readonly number: number;
  readonly source: Source;
  readonly stages: readonly Stage[];
  /** `documentId`, or the owning attribute for an inverse relation. */
  readonly field: string;
  /** Its values are wanted in all their forms. */
  readonly texts?: boolean;
  readonly needs: readonly number[];
  /** Where only this process can test a value. */
  readonly check?: Check;
}

/** The rows, or the component items in them, whose value at `path` passes. `field` is then theirs. */
export interface Check {
  /** The way from a row to the items; empty for the row itself. */
  readonly items: readonly Step[];
  readonly path: readonly string[];
  passes(value: unknown): boolean;
}

/** A content type in one version: one collection. */
export interface Source {
  readonly type: ContentType;
  readonly status: Version;
}

/**
 * How a plan is compiled. Every form gives the same rows; which one is fastest depends on the server (docs/decisions/001), and
 * some have a bound, beyond which the other takes their place.
 */
export interface ReadForm {
  /** Semi-joins that turned out too large for a list of ids: `$lookup` gives the same rows. */
  readonly byLookup: ReadonlySet<number>;
  /** Populated entries are looked up for each row, or for all rows of the page at once. */
  readonly populate: LookupForm;
  /** What a sort goes through is looked up for each entry that matches, or for all of them at once. */
  readonly sort: LookupForm;
}

export type LookupForm = 'rows' | 'sets';

export const BY_ROW: ReadForm = Object.freeze({
  byLookup: new Set<number>(),
  populate: 'rows',
  sort: 'rows',
});

/**
 * A populated path of a read in sets: the lists of the one document that it gives, and how their rows belong together. Each row
 * of `from` gets a list `field` of the rows of `found` that share a key with it.
 */
export interface SetJoin {
  readonly from: string;
  readonly found: string;
  readonly field: string;
  readonly localKeys: KeysOf;
  readonly foreignKeys: KeysOf;
  /** Only rows of the same locale, or only those of others. */
  readonly locale: 'same' | 'other' | null;
}

export type KeysOf = (row: Doc) => readonly unknown[];

/** A sort in sets: what it takes to put the ids of all entries that match in order, before the page is read by its ids. */
export interface Ordering {
  /** Behind the stages of the entries that match. They give one document of lists, or none where nothing matches. */
  readonly stages: readonly Stage[];
  readonly keys: readonly OrderKey[];
}

export interface OrderKey {
  /** The list of its values or references, one for each group. */
  readonly field: string;
  readonly direction: 1 | -1;
  /** The lists of the targets' values; none where the value is the entry's own. */
  readonly fields: readonly string[];
}

/** Makes an entry of the plan out of a row of an adopted collection. */
export type Shape = (row: Doc) => Doc;

export interface CompiledRead {
  readonly source: Source;
  readonly form: ReadForm;
  /** The same plan in another form. */
  inForm(form: ReadForm): CompiledRead;
  /** Not null: `stages` read the entries whose ids stand for the slot `page`, in any order. */
  readonly ordering: Ordering | null;
  /** Parents first. Not empty: the stages give one document, whose `rows` are the page. */
  readonly setJoins: readonly SetJoin[];
  readonly semiJoins: readonly SemiJoin[];
  /** The whole read. */
  readonly stages: readonly Stage[];
  /** The stages whose rows `total` counts. Empty: every entry of the collection. */
  readonly counted: readonly Stage[];
  /** Whether `total` is asked for. */
  readonly withTotal: boolean;
  /** Not null: rows come as others stored them, and this makes of each what the plan calls it. Never together with sets. */
  readonly shape: Shape | null;
  /** A server may refuse it for what other programs stored. */
  readonly readsValuesOfOthers: boolean;
  readonly skip: number;
  readonly limit: number | null;
}

/** One attribute on the way from an entry to something inside its components. */
export interface Step {
  readonly name: string;
  /** Where the attribute lies in its model. */
  readonly stored: string;
  /** Repeatable components and zones. */
  readonly list: boolean;
  /** In a zone: only items of this component. */
  readonly component?: string;
  /** In a collection that others write: what lies there may be anything. */
  readonly adopted: boolean;
}
