import { Long } from 'bson';
import { EngineError } from '../errors.js';
import type { Meter } from '../planner/meter.js';
import type { Pause } from '../values/pace.js';

/** Results that have not been fetched yet. */
export interface OpenCursor {
  readonly ns: string;
  readonly rows: Iterator<Buffer | Pause>;
  readonly meter: Meter;
  /** Called once when the cursor ends: exhausted, killed or expired. */
  readonly close: () => void;
  /** Waits for new rows if the cursor is tailable; resolves after the milliseconds at the latest. */
  readonly wait?: (milliseconds: number) => Promise<void>;
  /** Additional fields of each batch, such as a change stream's resume token; `held`: a row is waiting. */
  readonly extras?: (held: boolean) => Record<string, unknown>;
  /** A row that did not fit into the last batch. */
  held?: Buffer | undefined;
  lastUsed: number;
  /** In use by a getMore. */
  busy: boolean;
}

/** MongoDB's own limit of idle time: ten minutes. */
const IDLE_LIMIT = 10 * 60_000;

/** The open cursors of the engine, by id. */
export class Cursors {
  private readonly open = new Map<string, OpenCursor>();

  get size(): number {
    return this.open.size;
  }

  /** Stores a cursor and returns its id. */
  add(cursor: OpenCursor): Long {
    let id: Long;
    do {
      id = new Long(Math.floor(Math.random() * 0xffffffff), Math.floor(Math.random() * 0x7fffffff) + 1);
    } while (this.open.has(id.toString()));
    this.open.set(id.toString(), cursor);
    return id;
  }

  /** Throws CursorNotFound. */
  get(id: Long | number): OpenCursor {
    const cursor = this.open.get(id.toString());
    const isLost = cursor?.meter.lost() !== undefined;
    if (isLost) this.kill(id);
    if (cursor === undefined || isLost) throw new EngineError('CursorNotFound', `cursor id ${id} not found`);
    return cursor;
  }

  /** Ends the cursors that read from dropped tables, at their next getMore. */
  noteGone(tables: ReadonlyMap<number, string>): void {
    for (const [table, reason] of tables) {
      for (const cursor of this.open.values()) {
        if (cursor.meter.tables.has(table)) cursor.meter.end(new EngineError('QueryPlanKilled', reason));
      }
    }
  }

  /** Ends a cursor. Returns whether it was open. */
  kill(id: Long | number): boolean {
    const cursor = this.open.get(id.toString());
    if (cursor === undefined) return false;
    this.open.delete(id.toString());
    // This closes what a getMore is reading from.
    if (cursor.busy) cursor.meter.end(new EngineError('CursorKilled', `cursor id ${id} was killed`));
    else cursor.close();
    return true;
  }

  /** Ends a cursor by the request that uses it. */
  finish(id: Long | number, cursor: OpenCursor): void {
    this.open.delete(id.toString());
    cursor.close();
  }

  /** Ends cursors that have not been used for ten minutes. */
  expire(now: number): void {
    for (const [id, cursor] of this.open) {
      if (!cursor.busy && now - cursor.lastUsed > IDLE_LIMIT) {
        this.open.delete(id);
        cursor.close();
      }
    }
  }

  closeAll(): void {
    for (const cursor of this.open.values()) cursor.close();
    this.open.clear();
  }
}
