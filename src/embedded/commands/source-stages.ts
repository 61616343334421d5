import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Reader } from '../storage/view.js';
import { existing, refuseView } from './collections.js';
import type { Operation } from './operation.js';
import { collectionStats } from './stats.js';

/** Makes the documents that a pipeline starts from, where these are not a collection's. */
export type SourceStage = (operation: Operation, reader: Reader, name: string, spec: unknown) => Document[];

const indexStats: SourceStage = ({ engine, db }, reader, name) => {
  const meta = existing(reader.catalog.get(db, name), `${db}.${name}`);
  return meta.indexes.map(({ spec }) => ({
    name: spec['name'],
    key: spec['key'],
    host: engine.address,
    accesses: { ops: 0, since: new Date(engine.startedAt) },
    spec,
  }));
};

const collStats: SourceStage = ({ engine, db }, reader, name, spec) => {
  const asked = spec as Document;
  const ns = `${db}.${name}`;
  const out: Document = { ns, host: engine.address, localTime: new Date() };
  if (asked['count'] === undefined && asked['storageStats'] === undefined) return [out];
  const meta = existing(reader.catalog.get(db, name), ns);
  refuseView(meta);
  const stats = collectionStats(reader, meta);
  if (asked['count'] !== undefined) out['count'] = stats['count'];
  if (asked['storageStats'] !== undefined) out['storageStats'] = stats;
  return [out];
};

/** The documents of the stages that tell of the server and the collection. */
export const SOURCE_STAGES: Readonly<Record<string, SourceStage>> = {
  $indexStats: indexStats,
  $collStats: collStats,
  $currentOp: ({ engine }) => engine.running.list(),
  $listLocalSessions: () => [],
  $listSessions: (_operation, _reader, name) =>
    name === 'system.sessions'
      ? []
      : fail('InvalidNamespace', '$listSessions may only be run against config.system.sessions'),
};
