import type { Provider } from '../../media/types.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import type { Selection } from '../source/selection.js';
import type { Problem } from '../source/types.js';
import type { ArchiveWriter } from './writer.js';

/** What an export reads. */
export interface ExportSource {
  readonly store: Store;
  readonly schema: Schema;
  /** The schema files of the project, by uid, as they were written. */
  readonly schemaFiles: ReadonlyMap<string, unknown>;
  readonly provider: Provider;
  readonly defaultLocale: string;
  /** A folder for parts that are not complete yet. */
  readonly scratch: string;
}

/** What came of an export. */
export interface ExportReport {
  readonly entries: Record<string, number>;
  links: number;
  files: number;
  bytes: number;
  readonly problems: Problem[];
}

export interface Export extends ExportSource {
  readonly selection: Selection;
  readonly writer: ArchiveWriter;
  readonly report: ExportReport;
  readonly tell: (stage: string, done: number) => void;
}
