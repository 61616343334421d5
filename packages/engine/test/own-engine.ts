import type { Document } from 'bson';
import { KeptColumns } from '../src/columns/kept-columns.js';
import { createCollection } from '../src/commands/collections.js';
import { Engine } from '../src/engine.js';
import { Meter } from '../src/planner/meter.js';
import { insertRecord, prepareDocument } from '../src/records/records.js';
import { encodeDocument } from '../src/storage/encode.js';
import { removeFolder, temporaryFolder } from './support/engine.js';

/** An engine without a server, in its own folder, whose parts a test inspects. */
export interface OwnEngine {
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Opens one; `columns` sets how much its cached columns may take, and for which collections. */
export function openOwnEngine(columns?: ConstructorParameters<typeof KeptColumns>[1]): OwnEngine {
  const folder = temporaryFolder();
  const engine = new Engine(folder, false, new Meter(undefined));
  if (columns !== undefined) Object.assign(engine, { columns: new KeptColumns(engine.versions, columns) });
  return {
    engine,
    close: async () => {
      await engine.close();
      removeFolder(folder);
    },
  };
}

/** Inserts rows into the collection `d.c`. */
export const insertRows = (engine: Engine, rows: Iterable<Document>): Promise<void> =>
  engine.writer.run((batch) => {
    let collection = batch.catalog.get('d', 'c') ?? createCollection(batch, 'd', 'c', {});
    for (const row of rows) {
      const { bytes, document } = prepareDocument(encodeDocument(row));
      ({ collection } = insertRecord(batch, collection, bytes, document));
    }
  });
