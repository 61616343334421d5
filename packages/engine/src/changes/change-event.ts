import type { Document } from 'bson';
import { Meter } from '../planner/meter.js';
import { runQuery } from '../planner/run-query.js';
import { clusterTime } from '../storage/oplog.js';
import { decodeDocument } from '../values/index.js';
import { unpaced } from '../values/pace.js';
import { resumeToken } from './resume-token.js';
import type { ChangeSource } from './source.js';

/** What a stream watches: a collection, a database, or everything. */
export interface WatchScope {
  readonly db: string | undefined;
  readonly collection: string | undefined;
  /** Also events that MongoDB shows only with `showExpandedEvents`. */
  readonly expanded: boolean;
}

const EXPANDED = new Set(['create', 'createIndexes', 'dropIndexes', 'modify']);

function inScope(scope: WatchScope, stored: Document): boolean {
  if (EXPANDED.has(stored['o']) && !scope.expanded) return false;
  if (scope.db !== undefined && stored['d'] !== scope.db) return false;
  return scope.collection === undefined || stored['c'] === undefined || stored['c'] === scope.collection;
}

function currentDocument(engine: ChangeSource, stored: Document): Document | null {
  const snapshot = engine.snapshot();
  try {
    const meta = snapshot.catalog.get(stored['d'], stored['c']);
    if (meta === undefined) return null;
    const meter = new Meter(0);
    const { shortcuts } = meter;
    const query = { filter: { _id: stored['b']['documentKey']['_id'] }, limit: 1, shortcuts };
    for (const { bytes } of unpaced(runQuery(snapshot, meta, query, meter))) return decodeDocument(bytes);
    return null;
  } finally {
    snapshot.close();
  }
}

/** What a stream shows: which changes of a source, and in which form. */
export interface Streamed {
  readonly source: ChangeSource;
  readonly scope: WatchScope;
  readonly spec: Document;
}

/** A stored change as the event sent to a client; undefined if the stream does not show it. */
export function changeEvent(
  { source, scope, spec }: Streamed,
  number: number,
  stored: Document,
): Document | undefined {
  if (!inScope(scope, stored)) return undefined;
  const time = Number(stored['t']);
  const event: Document = {
    _id: resumeToken(number),
    operationType: stored['o'],
    clusterTime: clusterTime(time, number),
    wallTime: new Date(time),
    ns: stored['c'] === undefined ? { db: stored['d'] } : { db: stored['d'], coll: stored['c'] },
    ...stored['b'],
  };
  if (
    stored['o'] === 'update' &&
    ['updateLookup', 'whenAvailable', 'required'].includes(spec['fullDocument'])
  ) {
    event['fullDocument'] = currentDocument(source, stored);
  }
  return event;
}
