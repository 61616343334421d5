/**
 * Content on its way in: what a source yields, whatever it is read from. `importContent` (import.ts) stages it in the database,
 * joins it there and writes it in the form of docs/architecture.md "How content is stored", so that a source only translates: it
 * keeps nothing in memory and need not know what a link leads to.
 */

import type { Readable } from 'node:stream';
import type { StoredToken } from '../../store/access/tokens.js';
import type { PlainObject } from '../../values/plain-object.js';

/** What the source calls an entry or a component item: unique within the uid of its model. Numbers as text. */
type Ref = string;

/** An entry or a component item of the source. */
export interface SourceKey {
  /** Of the content type or component. */
  readonly uid: string;
  readonly ref: Ref;
}

/**
 * One row of a content type in one locale. `uid` may be a built-in type too: `plugin::upload.file`, `plugin::upload.folder`,
 * `plugin::users-permissions.user`, `plugin::users-permissions.role`.
 */
export interface SourceEntry extends SourceKey {
  /** Null: it follows from `SourceLink`s between siblings and `Source.documentIdOf`. */
  readonly documentId: string | null;
  /** Null for types that are not localized. Kept as it is, whether or not the project has that locale. */
  readonly locale: string | null;
  /**
   * The versions that are made of it in a type with Draft & Publish: `both` where the source has one row for what is live and what is
   * edited. Types without it have one version whatever this says.
   */
  readonly versions: 'draft' | 'published' | 'both';
  /** The numeric id to keep; null: a new one. With `both` the published entry keeps it. */
  readonly id: number | null;
  /** Dates as ISO text or `Date`; null: the moment of the import (`publishedAt`: that of `updatedAt`). */
  readonly createdAt: string | Date | null;
  readonly updatedAt: string | Date | null;
  readonly publishedAt: string | Date | null;
  /**
   * The attributes other than relations and media, which come as `SourceLink`s. Scalars as JSON or BSON values; what does not fit the
   * attribute's type, and what no attribute is named like, is kept beside the entry and reported. A component is an object, a
   * repeatable one or a zone an array of them, each with its `id` (a number is kept, a string is replaced by a new number; links name
   * the item by it) and, in zones, `__component`. An item in two entries is copied for each.
   */
  readonly data: PlainObject;
  /**
   * What the source knows to have no attribute: kept under `Source.keptUnder` without a line in the report for each. A component item
   * of `data` may have the same under that name.
   */
  readonly leftover?: PlainObject;
  /** Fields that stand beside the attributes in the stored entry itself, such as those of another program. BSON values. */
  readonly beside?: PlainObject;
}

/** A reference from an entry or component item to a content type's entry. A media attribute refers to `plugin::upload.file`. */
export interface SourceLink {
  readonly from: SourceKey;
  /** The owning attribute of `from`. An inverse attribute is turned round: both ends of one relation may be given. */
  readonly field: string;
  readonly to: SourceKey;
  /** Place in the list of `from`; equal or missing ones stand in the order in which the links come. */
  readonly position: number | null;
  /** Place in the inverse list of `to`, where the relation has one. */
  readonly inversePosition: number | null;
  /** `to` stands for its document, which has no row in the locale that is meant. */
  readonly standIn?: true;
}

/** Two rows of one type that are locales of one document. Any number of pairs that connect a group, in any order, makes it one. */
interface SiblingPair {
  readonly uid: string;
  readonly refs: readonly [Ref, Ref];
}

/** One action that a role may do: `api::article.article.find`. */
export interface SourceGrant {
  /** Of the role's entry. */
  readonly role: Ref;
  readonly action: string;
}

export interface SourceLocale extends Pick<SourceEntry, 'id' | 'documentId' | 'createdAt' | 'updatedAt'> {
  readonly code: string;
  readonly name: string | null;
}

/** An API token; `accessKey` is the hash of its key (rules H.2). */
export interface SourceToken
  extends Pick<StoredToken, 'name' | 'description' | 'type' | 'accessKey' | 'permissions' | 'lifespan'> {
  readonly expiresAt: string | Date | null;
  readonly createdAt: string | Date | null;
}

/** Something that the source holds and that could not come along as it is. */
export interface Problem {
  readonly what:
    | 'schema'
    | 'line'
    | 'entry'
    | 'link'
    | 'value'
    | 'component'
    | 'file'
    | 'user'
    | 'role'
    | 'setting';
  /** Where: `api::article.article 17 cover`. */
  readonly at: string;
  /** Why, and what became of it, as a person reads it. */
  readonly why: string;
  /** It is in the database all the same, beside the entry or in another form. */
  readonly kept: boolean;
}

export const lost = (what: Problem['what'], at: string, why: string): Problem => ({
  what,
  at,
  why,
  kept: false,
});

/** It is kept, in another place or form. */
export const moved = (what: Problem['what'], at: string, why: string): Problem => ({
  what,
  at,
  why,
  kept: true,
});

/** Everything but bytes, one by one. Kinds may come mixed and in any order. */
export type SourceRecord =
  | { readonly kind: 'entry'; readonly entry: SourceEntry }
  | { readonly kind: 'link'; readonly link: SourceLink }
  | { readonly kind: 'siblings'; readonly pair: SiblingPair }
  | { readonly kind: 'grant'; readonly grant: SourceGrant }
  | { readonly kind: 'locale'; readonly locale: SourceLocale }
  | { readonly kind: 'defaultLocale'; readonly code: string }
  | { readonly kind: 'token'; readonly token: SourceToken }
  | { readonly kind: 'problem'; readonly problem: Problem };

export const told = (problem: Problem): SourceRecord => ({ kind: 'problem', problem });

/** The bytes of a file or of one of its formats. */
export interface SourceFile {
  /** `<hash><ext>`, as in the row's `url`. */
  readonly key: string;
  /** To be read to its end, or destroyed, before the next file is asked for. */
  readonly bytes: Readable;
}

/** A schema of the source in the form of Strapi 5's `schema.json`. */
export interface SourceSchema {
  readonly uid: string;
  readonly modelType: 'contentType' | 'component';
  readonly content: PlainObject;
}

/**
 * What is imported. Each iterable may be asked for several times and starts over each time, in the same order: that is how an import
 * that was killed continues. Memory must not grow with the size of the content.
 */
export interface ImportSource {
  /** For messages: `Strapi 5.54.0, export.tar.gz`. */
  readonly name: string;
  /** Changes when the source does: an import continues only with what it began with. */
  readonly fingerprint: string;
  /** The field beside an entry that keeps what has no attribute: `_strapi3`. */
  readonly keptUnder: string;
  /** Content types and components of the project and extended built-in types. */
  schemas(): Promise<readonly SourceSchema[]>;
  records(): AsyncIterable<SourceRecord>;
  /** The entries of `records` alone, in the same order. */
  entries(): AsyncIterable<SourceEntry>;
  files(): AsyncIterable<SourceFile>;
  /**
   * The documentId of entries without one: of the row that stands for its group of siblings (the one in the default locale, else the
   * first). The same for the same row at each call, so that a second import meets what the first one made.
   */
  documentIdOf(row: SourceKey): string;
  /** How much of the present iteration has been read, 0 to 1; null where that is not known. */
  progress(): number | null;
  close(): Promise<void>;
}
