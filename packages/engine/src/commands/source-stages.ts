import type { Document } from 'bson';
import { stageRule } from '../aggregation/stage-rules.js';
import { fail } from '../errors.js';
import type { Reader } from '../storage/view.js';
import { isDocument } from '../values/types.js';
import { existing, refuseView } from './collections.js';
import type { Operation } from './operation.js';
import { collectionStats } from './stats.js';

/** The value in place of a collection name for a command on a database, as in `{aggregate: 1}`. */
const NO_COLLECTION = '$cmd.aggregate';

/** What a command runs on. */
export const collectionNameOf = (body: Document, command: string): string =>
  typeof body[command] === 'string' ? body[command] : NO_COLLECTION;

/** What a pipeline reads, by name. */
interface Place {
  readonly operation: Operation;
  readonly reader: Reader;
  readonly db: string;
  readonly name: string;
}

const indexStats = ({ operation: { engine }, reader, db, name }: Place, spec: unknown): Document[] => {
  if (!isDocument(spec) || Object.keys(spec).length > 0)
    fail(28803, 'The $indexStats stage specification must be an empty object');
  const meta = existing(reader.catalog.get(db, name), `${db}.${name}`);
  return meta.indexes.map(({ spec }) => ({
    name: spec['name'],
    key: spec['key'],
    host: engine.address,
    accesses: { ops: 0, since: new Date(engine.startedAt) },
    spec,
  }));
};

const STATS = new Set(['count', 'latencyStats', 'queryExecStats', 'storageStats']);

const collStats = ({ operation: { engine }, reader, db, name }: Place, spec: unknown): Document[] => {
  if (!isDocument(spec))
    return fail(5447000, `$collStats must take a nested object but found: ${String(spec)}`);
  const asked: Document = spec;
  for (const [field, given] of Object.entries(asked)) {
    if (!STATS.has(field)) fail(40415, `BSON field '$collStats.${field}' is an unknown field.`);
    if (!isDocument(given)) fail('TypeMismatch', `BSON field '$collStats.${field}' must be an object`);
  }
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

/** The documents of the stages that report on the server and the collection. */
export const SOURCE_STAGES: Readonly<Record<string, (place: Place, spec: unknown) => Document[]>> = {
  $indexStats: indexStats,
  $collStats: collStats,
  $currentOp: ({ operation: { engine } }) => engine.running.list(),
};

/** Throws InvalidNamespace if a pipeline that begins with this stage is not allowed here. */
export function checkNamespace(stage: string, db: string, name: string): void {
  const { on = 'collection' } = stageRule(stage);
  const isFree = name === NO_COLLECTION;
  if (isFree && on === 'collection')
    fail('InvalidNamespace', `{aggregate: 1} is not valid for '${stage}'; a collection is required`);
  if (!isFree && on !== 'collection') fail('InvalidNamespace', `${stage} must be run with {aggregate: 1}`);
  if (on === 'admin' && db !== 'admin')
    fail('InvalidNamespace', `${stage} must be run against the 'admin' database with {aggregate: 1}`);
}

/** Produces the documents of the stages above. */
export const sourceOf =
  (place: Place) =>
  (stage: string, spec: unknown): Document[] | undefined => {
    const make = SOURCE_STAGES[stage];
    if (make !== undefined) checkNamespace(stage, place.db, place.name);
    return make?.(place, spec);
  };
