import type { Document } from 'bson';
import { runPipeline } from '../aggregation/index.js';
import { stageName, stageRule } from '../aggregation/stage-rules.js';
import { fail } from '../errors.js';
import { encodeDocument } from '../storage/encode.js';
import { OPLOG_TABLE, tableKey } from '../storage/layout.js';
import { changeKey, changeNumber } from '../storage/oplog.js';
import { decodeDocument, isDocument } from '../values/index.js';
import { unpaced } from '../values/pace.js';
import { ALL_SHORTCUTS } from '../values/shortcuts.js';
import { changeEvent, type Streamed, type WatchScope } from './change-event.js';
import { historyLost, resumeToken, startOf } from './resume-token.js';
import type { ChangeSource } from './source.js';

/** How many changes are read at a time. */
const STEP = 500;

/** What a stream is opened on: a database, and one or all of its collections. */
interface Watched {
  readonly db: string;
  readonly collection: string | undefined;
}

function scopeOf(watched: Watched, spec: Document): WatchScope {
  const expanded = spec['showExpandedEvents'] === true;
  if (spec['allChangesForCluster'] === true) return { db: undefined, collection: undefined, expanded };
  return { ...watched, expanded };
}

function checkStages(stages: readonly Document[]): void {
  for (const stage of stages) {
    const name = stageName(stage);
    if (!stageRule(name).changes)
      fail('IllegalOperation', `$changeStream pipelines do not allow the stage ${name}`);
  }
}

interface Ready {
  readonly at: number;
  readonly bytes: Buffer;
}

/** The changes after a number, as events of the scope, shaped by the client's stages. */
class ChangeFeed implements Iterator<Buffer> {
  private ready: Ready[] = [];
  private given = 0;

  constructor(
    private readonly streamed: Streamed,
    private readonly stages: readonly Document[],
    private at: number,
  ) {}

  /**
   * The token from which a stream would continue after everything that was sent; `held`: the last event was found but not sent.
   */
  token(held: boolean): Document {
    const next = held ? this.given : this.ready[0]?.at;
    return resumeToken(next === undefined ? this.at : next - 1);
  }

  next(): IteratorResult<Buffer> {
    while (this.ready.length === 0) {
      if (!this.readMore()) return { done: true, value: undefined };
    }
    const { at, bytes } = this.ready.shift() as Ready;
    this.given = at;
    return { done: false, value: bytes };
  }

  private readMore(): boolean {
    const events: { readonly at: number; readonly event: Document }[] = [];
    let seen = 0;
    const range = { start: changeKey(this.at + 1), end: tableKey(OPLOG_TABLE + 1), limit: STEP };
    for (const { key, value } of this.streamed.source.store.getRange(range)) {
      seen += 1;
      // Numbers rise without gaps: what is missing was removed before this stream had read it.
      if (changeNumber(key) !== this.at + 1) historyLost();
      this.at = changeNumber(key);
      const event = changeEvent(this.streamed, this.at, decodeDocument(value));
      if (event !== undefined) events.push({ at: this.at, event });
    }
    const context = {
      collection: () => fail('IllegalOperation', 'not in a change stream'),
      shortcuts: ALL_SHORTCUTS,
    };
    for (const { at, event: told } of events)
      for (const event of unpaced(runPipeline([told], this.stages, context))) {
        if (event['_id'] === undefined)
          fail(
            280,
            'Encountered an event whose _id field, which contains the resume token, was modified by the pipeline.',
          );
        this.ready.push({ at, bytes: encodeDocument(event) });
      }
    return seen > 0;
  }
}

/** Opens a change stream: `stages` begin with `$changeStream`. Throws MongoDB's code for what it does not allow. */
export function openChangeStream(
  source: ChangeSource,
  watched: Watched,
  stages: readonly Document[],
): ChangeFeed {
  const spec = stages[0]?.['$changeStream'];
  if (!isDocument(spec))
    return fail('FailedToParse', 'the $changeStream stage specification must be an object');
  const rest = stages.slice(1);
  checkStages(rest);
  const streamed = { source, scope: scopeOf(watched, spec), spec };
  return new ChangeFeed(streamed, rest, startOf(source, spec));
}
