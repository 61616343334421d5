import type { ContentType, Schema } from '../../schema/types.js';
import type { PlainObject } from '../../values/plain-object.js';
import type { LinkRow, Row } from '../run/rows.js';
import type { Problem } from '../source/types.js';

/** What building the stored form of entries draws on. */
export interface BuildTools {
  readonly schema: Schema;
  readonly keptUnder: string;
  readonly defaultLocale: string;
  /** The references that an entry or component item holds, in any order. */
  links(key: string): readonly LinkRow[];
  /** The row that a reference leads to; undefined where it is not in the source. */
  target(key: string): Row | undefined;
  /** Whether an item of this key is this row's: one that two rows hold is copied for the second. */
  owns(item: string, row: string): boolean;
  nextComponentId(): number;
  report(problem: Problem): void;
  /** Told of each relation that leads from one locale to another. */
  crossesLocales(name: string): void;
}

/** One version of an entry to be: which, and the numbers that it gets. */
export interface VersionToBuild {
  readonly row: Row;
  readonly type: ContentType;
  readonly status: 'draft' | 'published';
  readonly documentId: string;
  readonly id: number;
  /** A second version of one row: it has component items of its own, and what is wrong was said of the first. */
  readonly copy: boolean;
}

/** What fields are built for. */
export interface Where {
  /** Key of what holds the references: the row, or a component item. */
  readonly holder: string;
  readonly version: VersionToBuild;
  /** For messages. */
  readonly at: string;
  /** What is kept beside them without being told. */
  readonly leftover: PlainObject | undefined;
}
