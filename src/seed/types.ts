import type { Config } from '../config/types.js';
import type { Reader } from '../documents/read/reader.js';
import type { Documents } from '../documents/types.js';
import type { FileInput } from '../media/prepare-file.js';
import type { FileEntry } from '../media/types.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import type { PlainObject } from '../values/plain-object.js';

/** The services that a seed uses. */
export interface SeedParts {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly reader: Reader;
  readonly documents: Documents;
  upload(file: FileInput): Promise<FileEntry>;
}

export interface SeedOptions {
  /** The type of rows whose source does not name it: a uid, or a singular, plural or collection name. */
  readonly type?: string;
  /** The attributes that identify documents: by type name, or for all types under `*`. */
  readonly keys?: Readonly<Record<string, string>>;
  /** Whether rows without `status` are drafts. */
  readonly draft?: boolean;
  /** Checks all rows without writing. */
  readonly dryRun?: boolean;
  /** Starts over instead of continuing an interrupted run. */
  readonly restart?: boolean;
  /** Called with progress messages. */
  readonly onProgress?: (text: string) => void;
}

/** A row as read from its source. */
export interface SourceRow {
  /** For example `articles.csv:12` or `data.json › article[3]`. */
  readonly place: string;
  /** The name of its type; null if the source does not name it. */
  readonly typeName: string | null;
  readonly value: unknown;
  /** The members are text, to be converted by the type of their attribute. */
  readonly cells?: true;
}

/** A source of rows. */
export interface SeedSource {
  /** For messages. */
  readonly name: string;
  /** Changes when the rows do; null: an interrupted run cannot be continued. */
  readonly version: string | null;
  /** The folder that paths of files are relative to. */
  readonly folder: string;
  rows(): AsyncIterable<SourceRow>;
}

/** A document to write. */
export interface SeedRow {
  readonly type: ContentType;
  readonly place: string;
  /** The values of its attributes. */
  readonly data: PlainObject;
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly publish: boolean;
  readonly folder: string;
}

/** Whether a row is the version of a document in another locale than the default one. */
export const isInOtherLocale = ({ type, locale }: SeedRow, { plugins }: Pick<Config, 'plugins'>): boolean =>
  type.localized && locale !== null && locale !== plugins.i18n.defaultLocale;

export interface SeedProblem {
  readonly place: string;
  readonly message: string;
}

export interface SeedReport {
  /** By uid. Versions in other locales count as updates. */
  readonly types: Readonly<Record<string, { readonly created: number; readonly updated: number }>>;
  /** Number of files added. */
  readonly files: number;
  /** Number of rows that interrupted runs had already stored. */
  readonly skipped: number;
  /** Number of rows that could not be stored. */
  readonly failed: number;
  /** Number of rows that were stored without references whose targets do not exist, as drafts if possible. */
  readonly incomplete: number;
  /** What is wrong with the first hundred of both. */
  readonly problems: readonly SeedProblem[];
}
