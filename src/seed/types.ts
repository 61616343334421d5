import type { Config } from '../config/types.js';
import type { Reader } from '../documents/read/reader.js';
import type { Documents } from '../documents/types.js';
import type { FileInput } from '../media/prepare-file.js';
import type { FileEntry } from '../media/types.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { Store } from '../store/client.js';
import type { PlainObject } from '../values/plain-object.js';

/** What content is written with. */
export interface SeedParts {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly reader: Reader;
  readonly documents: Documents;
  upload(file: FileInput): Promise<FileEntry>;
}

export interface SeedOptions {
  /** The type of rows whose source does not say it: a uid, or a singular, plural or collection name. */
  readonly type?: string;
  /** The attributes that documents are known by: of one type by its name, or of all types (under `*`). */
  readonly keys?: Readonly<Record<string, string>>;
  /** True: what is not said to be published is a draft. */
  readonly draft?: boolean;
  /** Checks all rows and writes nothing. */
  readonly dryRun?: boolean;
  /** Starts over instead of continuing an interrupted run. */
  readonly restart?: boolean;
  /** Gets progress. */
  readonly tell?: (text: string) => void;
}

/** A row as its source has it. */
export interface SourceRow {
  /** `articles.csv:12` or `data.json › article[3]`. */
  readonly place: string;
  /** What its type is called; null: the source does not say it. */
  readonly typeName: string | null;
  readonly value: unknown;
  /** Cells are texts, which are read by the type of their attribute. */
  readonly cells?: true;
}

/** Where rows come from. */
export interface SeedSource {
  /** For people. */
  readonly name: string;
  /** The same while the rows are; null: a run cannot go on in the middle of it. */
  readonly version: string | null;
  /** Paths of files are relative to it. */
  readonly folder: string;
  rows(): AsyncIterable<SourceRow>;
}

/** A document to write. */
export interface SeedRow {
  readonly type: ContentType;
  readonly place: string;
  /** Its attributes. */
  readonly data: PlainObject;
  readonly documentId: string | null;
  readonly locale: string | null;
  readonly publish: boolean;
  readonly folder: string;
}

export interface SeedProblem {
  readonly place: string;
  readonly message: string;
}

export interface SeedReport {
  /** By uid. Versions in other locales count as updates. */
  readonly types: Readonly<Record<string, { readonly created: number; readonly updated: number }>>;
  /** Files that were added. */
  readonly files: number;
  /** Rows of broken-off runs that were stored already. */
  readonly skipped: number;
  /** How many rows could not be stored, and the first hundred of them. */
  readonly failed: number;
  readonly problems: readonly SeedProblem[];
}
