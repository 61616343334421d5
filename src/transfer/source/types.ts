/**
 * The records of a source, in a common form. `importContent` (import.ts) stages and connects them in the
 * database and writes them in their stored form (docs/architecture.md, "How content is stored"). A source
 * only translates: it keeps nothing in memory and does not resolve links.
 */

import type { Readable } from 'node:stream';
import type { StoredToken } from '../../store/access/tokens.js';
import type { AccountSettings } from '../../store/account-settings.js';
import type { ForeignDatabase } from '../../store/transfer/foreign.js';
import type { PlainObject } from '../../values/plain-object.js';

/** The source's id of an entry or a component item, as text; unique within the uid of its model. */
type Ref = string;

/** Identifies an entry or component item of the source. */
export interface SourceKey {
  /** The uid of the content type or component. */
  readonly uid: string;
  readonly ref: Ref;
}

/**
 * One row of a content type in one locale. `uid` may also be a built-in type: `plugin::upload.file`,
 * `plugin::upload.folder`, `plugin::users-permissions.user`, `plugin::users-permissions.role`.
 */
export interface SourceEntry extends SourceKey {
  /** Null if it is derived from sibling pairs and `ImportSource.documentIdOf`. */
  readonly documentId: string | null;
  /** Null for types that are not localized. Kept even if the project does not have that locale. */
  readonly locale: string | null;
  /**
   * The versions that the row produces in a type with Draft & Publish; `both` if the source has one row for
   * both. Types without it always have one version.
   */
  readonly versions: 'draft' | 'published' | 'both';
  /** The numeric id to keep; null: a new one. With `both`, the published entry keeps it. */
  readonly id: number | null;
  /**
   * ISO text or `Date`; anything else is reported. Null: the time of the import, or for `publishedAt` the
   * value of `updatedAt`.
   */
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
  readonly publishedAt: unknown;
  /**
   * The attributes except relations and media, which are `SourceLink`s. Scalars are JSON or BSON values;
   * values that do not fit their type and fields without an attribute are kept beside the entry and reported.
   * A component is an object; a repeatable component or dynamic zone is an array of objects, each with its
   * `id` and, in zones, `__component`. A numeric `id` is kept, a string is replaced by a new number; links
   * refer to the item by it. An item in two entries is copied for each.
   */
  readonly data: PlainObject;
  /**
   * Fields known to have no attribute: kept under `ImportSource.extraFieldsKey` without being reported
   * individually. Component items in `data` may have the same under that name.
   */
  readonly leftover?: PlainObject;
  /**
   * Fields stored beside the attributes in the entry itself, such as those of another program. BSON values.
   */
  readonly extraFields?: PlainObject;
  /** The same for component items, by their path: `chapters/0/notes/1`. */
  readonly extraItemFields?: PlainObject;
}

/**
 * A reference from an entry or component item to an entry. Media attributes refer to `plugin::upload.file`.
 */
export interface SourceLink {
  readonly from: SourceKey;
  /**
   * The attribute of `from`. An inverse attribute is converted to its owning one, so both sides of a relation
   * may be given.
   */
  readonly field: string;
  readonly to: SourceKey;
  /** Position in the list of `from`; links with the same or no position keep their order. */
  readonly position: number | null;
  /** Position in the inverse list of `to`, if the relation has one. */
  readonly inversePosition: number | null;
  /** `to` represents its document, which has no row in the intended locale. */
  readonly standIn?: true;
}

/**
 * Two rows of one type that are locales of the same document. A group is formed by any pairs that connect it,
 * in any order.
 */
interface SiblingPair {
  readonly uid: string;
  readonly refs: readonly [Ref, Ref];
}

/** One action granted to a role, such as `api::article.article.find`. */
export interface SourceGrant {
  /** The ref of the role's entry. */
  readonly role: Ref;
  readonly action: string;
}

export interface SourceLocale extends Pick<SourceEntry, 'id' | 'documentId' | 'createdAt' | 'updatedAt'> {
  readonly code: string;
  readonly name: string | null;
}

/** An API token; `accessKey` is the hash of its key. */
export interface SourceToken
  extends Pick<
    StoredToken,
    'name' | 'description' | 'type' | 'accessKey' | 'permissions' | 'rules' | 'lifespan'
  > {
  readonly expiresAt: string | Date | null;
  readonly createdAt: string | Date | null;
}

/** Something in the source that could not be imported unchanged. */
export interface ImportProblem {
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
  /** The place, such as `api::article.article 17 cover`. */
  readonly at: string;
  /** The reason and the consequence, for people. */
  readonly why: string;
  /** Whether it is in the database nevertheless, beside the entry or in another form. */
  readonly kept: boolean;
}

export const lost = (what: ImportProblem['what'], at: string, why: string): ImportProblem => ({
  what,
  at,
  why,
  kept: false,
});

/** A problem whose data is kept in another place or form. */
export const moved = (what: ImportProblem['what'], at: string, why: string): ImportProblem => ({
  what,
  at,
  why,
  kept: true,
});

/** A record other than file bytes. Records of all kinds may come in any order. */
export type SourceRecord =
  | { readonly kind: 'entry'; readonly entry: SourceEntry }
  | { readonly kind: 'link'; readonly link: SourceLink }
  | { readonly kind: 'siblings'; readonly pair: SiblingPair }
  | { readonly kind: 'grant'; readonly grant: SourceGrant }
  | { readonly kind: 'locale'; readonly locale: SourceLocale }
  | { readonly kind: 'defaultLocale'; readonly code: string }
  | { readonly kind: 'accountSettings'; readonly settings: AccountSettings }
  | { readonly kind: 'token'; readonly token: SourceToken }
  | { readonly kind: 'problem'; readonly problem: ImportProblem };

export const noted = (problem: ImportProblem): SourceRecord => ({ kind: 'problem', problem });

/** The bytes of a file or of one of its formats. */
export interface SourceFile {
  /** `<hash><ext>`, as in the `url` of the row. */
  readonly key: string;
  /** Must be read to its end, or destroyed, before the next file is requested. */
  readonly bytes: Readable;
}

/** A schema of the source, in the form of Strapi 5's `schema.json`. */
export interface SourceSchema {
  readonly uid: string;
  readonly modelType: 'contentType' | 'component';
  readonly content: PlainObject;
}

/**
 * The source itself, for a second reader that shares nothing with the first: the members of an archive, or
 * the database and the folder with its `uploads/`.
 */
export type RawSource =
  | {
      readonly kind: 'archive';
      members(): AsyncIterable<{ readonly path: string; readonly bytes: Readable }>;
    }
  | { readonly kind: 'strapi3'; readonly database: ForeignDatabase; readonly publicDir: string | null };

/** How much of an iteration over a source has been read. */
interface SourceProgress {
  /** From 0 to 1. */
  readonly share: number;
  /** The entries read, and how many there are; null if they were not counted. */
  readonly entries: { readonly read: number; readonly total: number } | null;
}

/**
 * A source to import from. Each iterable may be requested several times and starts over in the same order,
 * which allows an interrupted import to continue. Memory use must not grow with the size of the content.
 */
export interface ImportSource {
  /** For messages, such as `Strapi 5.54.0, export.tar.gz`. */
  readonly name: string;
  /** Changes when the source does, since an import must continue with the same source. */
  readonly fingerprint: string;
  /** The field beside an entry for data that has no attribute, such as `_strapi3`. */
  readonly extraFieldsKey: string;
  readonly raw: RawSource;
  /** The content types and components of the project, and extended built-in types. */
  schemas(): Promise<readonly SourceSchema[]>;
  records(): AsyncIterable<SourceRecord>;
  /** Only the entries among `records`, in the same order. */
  entries(): AsyncIterable<SourceEntry>;
  files(): AsyncIterable<SourceFile>;
  /**
   * The documentId for an entry without one, given the row that represents its group of siblings (the one in
   * the default locale, or else the first). The same row always has the same result, so that a second import
   * finds the documents of the first.
   */
  documentIdOf(row: SourceKey): string;
  /** How much of the current iteration has been read; null if unknown. */
  progress(): SourceProgress | null;
  close(): Promise<void>;
}
