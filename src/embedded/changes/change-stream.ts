import type { Document } from 'bson';
import { firstBatch } from '../commands/cursor-reply.js';
import type { Answer, Operation } from '../commands/operation.js';
import { runPipeline } from '../commands/pure.js';
import { fail } from '../errors.js';
import { encodeDocument } from '../storage/encode.js';
import { OPLOG_TABLE, tableKey } from '../storage/layout.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { changeEvent, type Scope } from './change-event.js';
import { changeKey, changeNumber, clusterTime } from './oplog.js';
import { resumeToken, startOf } from './resume-token.js';

/** How many changes are read at a time. */
const STEP = 500;

const ALLOWED = new Set([
  '$match',
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
  '$redact',
  '$changeStreamSplitLargeEvent',
]);

function scopeOf(operation: Operation, spec: Document): Scope {
  const { db, body } = operation;
  const expanded = spec['showExpandedEvents'] === true;
  if (spec['allChangesForCluster'] === true) return { db: undefined, collection: undefined, expanded };
  return { db, collection: body['aggregate'] === 1 ? undefined : String(body['aggregate']), expanded };
}

function checkStages(stages: readonly Document[]): void {
  for (const stage of stages) {
    const name = Object.keys(stage)[0] as string;
    if (!ALLOWED.has(name))
      fail('IllegalOperation', `$changeStream pipelines do not allow the stage ${name}`);
  }
}

/** The changes after a number, as events of the scope, shaped by the client's stages. */
class ChangeFeed implements Iterator<Buffer> {
  private ready: Buffer[] = [];

  constructor(
    private readonly operation: Operation,
    private readonly scope: Scope,
    private readonly spec: Document,
    private readonly stages: readonly Document[],
    private at: number,
  ) {}

  /** The token from which a stream would go on after all that was given out. */
  get token(): Document {
    return resumeToken(this.at);
  }

  next(): IteratorResult<Buffer> {
    while (this.ready.length === 0) {
      if (!this.readMore()) return { done: true, value: undefined };
    }
    return { done: false, value: this.ready.shift() as Buffer };
  }

  private readMore(): boolean {
    const { engine } = this.operation;
    const events: Document[] = [];
    let seen = 0;
    const range = { start: changeKey(this.at + 1), end: tableKey(OPLOG_TABLE + 1), limit: STEP };
    for (const { key, value } of engine.store.getRange(range)) {
      seen += 1;
      this.at = changeNumber(key);
      const event = changeEvent(this.operation, this.scope, this.spec, this.at, decodeDocument(value));
      if (event !== undefined) events.push(event);
    }
    const context = { collection: () => fail('IllegalOperation', 'not in a change stream') };
    for (const event of runPipeline(events, this.stages, context)) {
      if (event['_id'] === undefined)
        fail(
          280,
          'Encountered an event whose _id field, which contains the resume token, was modified by the pipeline.',
        );
      this.ready.push(encodeDocument(event));
    }
    return seen > 0;
  }
}

/** Opens a change stream over a collection, a database or everything. */
export function openChangeStream(
  operation: Operation,
  stages: readonly Document[],
  batchSize: number | undefined,
): Answer {
  const { engine, db, body, meter } = operation;
  const spec = stages[0]?.['$changeStream'];
  if (!isDocument(spec))
    return fail('FailedToParse', 'the $changeStream stage specification must be an object');
  checkStages(stages.slice(1));
  const feed = new ChangeFeed(
    operation,
    scopeOf(operation, spec),
    spec,
    stages.slice(1),
    startOf(engine, spec),
  );
  const name = body['aggregate'] === 1 ? '$cmd.aggregate' : String(body['aggregate']);
  const cursor = {
    ns: `${db}.${name}`,
    rows: feed,
    meter,
    close: () => {},
    wait: (milliseconds: number) => engine.changes.next(milliseconds),
    extras: () => ({ postBatchResumeToken: feed.token }),
    lastUsed: Date.now(),
    busy: false,
  };
  return firstBatch(
    engine,
    cursor,
    { batchSize },
    { operationTime: clusterTime(Date.now(), engine.lastChange) },
  );
}
