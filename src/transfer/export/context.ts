import type { Provider } from '../../media/types.js';
import type { Schema } from '../../schema/types.js';
import type { AccountSettings } from '../../store/account-settings.js';
import type { Store } from '../../store/client.js';
import type { SelectedParts } from '../source/selection.js';
import type { ImportProblem } from '../source/types.js';
import type { Exported } from './exported.js';
import type { Spools } from './spool.js';
import type { ArchiveWriter } from './writer.js';

/** What an export reads from. */
export interface ExportSource {
  readonly store: Store;
  readonly schema: Schema;
  /** The unchanged schema files of the project, by uid. */
  readonly schemaFiles: ReadonlyMap<string, unknown>;
  readonly provider: Provider;
  readonly defaultLocale: string;
  readonly accountSettings: AccountSettings;
  /** A folder for incomplete parts. */
  readonly scratch: string;
}

/** The result of an export. */
export interface ExportReport {
  readonly entries: Record<string, number>;
  links: number;
  files: number;
  bytes: number;
  readonly problems: ImportProblem[];
}

export interface Export extends ExportSource {
  readonly selection: SelectedParts;
  readonly writer: ArchiveWriter;
  readonly spools: Spools;
  readonly exported: Exported;
  readonly report: ExportReport;
  readonly onProgress: (stage: string, done: number) => void;
}
