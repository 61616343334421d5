import { ChangeSignal } from './changes/signal.js';
import { KeptColumns } from './columns/kept-columns.js';
import type { MeterSettings } from './planner/meter-settings.js';
import { Cursors } from './sessions/cursors.js';
import { Running } from './sessions/running.js';
import { Sessions } from './sessions/sessions.js';
import type { Batch, BatchContext } from './storage/batch.js';
import { Catalog } from './storage/catalog.js';
import { Conflicts } from './storage/conflicts.js';
import { META_TABLE, tableRange } from './storage/layout.js';
import { type LogSpan, readLog } from './storage/oplog.js';
import { Snapshot } from './storage/reader.js';
import { RecordNumbers } from './storage/record-numbers.js';
import { openStore, type Store } from './storage/store.js';
import { TableVersions } from './storage/table-versions.js';
import { Writer } from './storage/writer.js';
import type { Credentials } from './wire/scram.js';

/** An open data folder and everything that serves it. Commands receive it as their environment. */
export class Engine implements BatchContext {
  readonly store: Store;
  readonly catalog = new Catalog();
  readonly conflicts = new Conflicts();
  readonly numbers = new RecordNumbers();
  readonly cursors = new Cursors();
  readonly running = new Running();
  readonly sessions: Sessions;
  readonly writer: Writer;
  readonly changes = new ChangeSignal();
  readonly versions = new TableVersions();
  readonly columns = new KeptColumns(this.versions);
  readonly startedAt = Date.now();
  settings: MeterSettings;
  /** Who may connect, if authentication is required: on a port. */
  readonly credentials: Credentials | undefined;
  lastChange: number;
  logSpan: LogSpan;
  /** The `host:port` that hello reports for this server. */
  address = 'localhost:27017';

  /** Opens a folder that this process owns. Throws `DataFolderError`. */
  constructor(
    readonly dataDir: string,
    durable: boolean,
    settings: MeterSettings,
    credentials?: Credentials,
  ) {
    this.settings = settings;
    this.credentials = credentials;
    this.store = openStore(dataDir, durable);
    this.catalog.load(this.store.getRange(tableRange(META_TABLE)));
    ({ lastChange: this.lastChange, span: this.logSpan } = readLog(this.store));
    this.sessions = new Sessions(this);
    this.writer = new Writer(this);
    this.writer.onCommit = (batch: Batch) => {
      if (batch.lastChange > 0) this.changes.notify(batch.lastChange);
      this.cursors.noteGone(batch.doomed);
    };
  }

  get oplogBytes(): number {
    return this.settings.limits.oplogBytes;
  }

  /** The current committed state. */
  snapshot(): Snapshot {
    return new Snapshot(this.store, this.catalog, this.conflicts.commits, this.settings.shortcuts);
  }

  async close(): Promise<void> {
    this.changes.close();
    this.sessions.abortAll();
    await this.running.endAll();
    this.cursors.closeAll();
    await this.writer.close();
    await this.store.close();
  }
}
