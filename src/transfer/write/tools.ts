import type { ContentType, Schema, Status } from '../../schema/types.js';
import type { PlainObject } from '../../values/plain-object.js';
import type { EntryRow, LinkRow } from '../run/rows.js';
import type { ImportProblem } from '../source/types.js';

/** What is needed to build the stored form of entries. */
export interface BuildTools {
  readonly schema: Schema;
  readonly extraFieldsKey: string;
  readonly defaultLocale: string;
  /** The references of an entry or component item, in any order. */
  links(key: string): readonly LinkRow[];
  /** The target row of a reference; undefined if it is not in the source. */
  target(key: string): EntryRow | undefined;
  /** Whether the row owns the item; the second of two rows with the same item gets a copy. */
  owns(item: string, row: string): boolean;
  nextComponentId(): number;
  report(problem: ImportProblem): void;
  /** Called for each link that its list has already. */
  repeated(attribute: string): void;
  /** Called for each relation with a reference to another locale. */
  crossesLocales(name: string): void;
}

/** One version of an entry to be built, and its numbers. */
export interface VersionToBuild {
  readonly row: EntryRow;
  readonly type: ContentType;
  readonly status: Status;
  readonly documentId: string;
  readonly id: number;
  /**
   * Whether this is the second version of the row: it gets its own component items, and problems were already
   * reported for the first.
   */
  readonly copy: boolean;
}

/** The context in which fields are built. */
export interface Where {
  /** The key of the owner of the references: the row, or a component item. */
  readonly holder: string;
  readonly version: VersionToBuild;
  /** For messages. */
  readonly at: string;
  /** The path of the component items in it: empty in an entry, otherwise `chapters/0/`. */
  readonly path: string;
  /** `SourceEntry.extraItemFields`. */
  readonly extraItemFields: PlainObject | undefined;
  /** Data to keep beside the fields without reporting it. */
  readonly leftover: PlainObject | undefined;
}
