import type { Document } from 'bson';
import { EngineError } from '../errors.js';
import type { Meter } from '../planner/meter.js';

/** An operation that has given the thread away before its end. */
export interface Run {
  readonly name: string;
  readonly db: string;
  readonly body: Document;
  readonly connection: { readonly id: number };
  readonly meter: Meter;
}

interface Numbered extends Run {
  readonly since: number;
}

/** The operations under way, by number, as `currentOp` shows them and `killOp` ends them. */
export class Running {
  private readonly runs = new Map<number, Numbered>();
  private last = 0;
  private wake: (() => void)[] = [];

  /** Keeps an operation among the others until its answer is there. */
  async during<T>(run: Run, answer: Promise<T>): Promise<T> {
    this.last += 1;
    const number = this.last;
    this.runs.set(number, { ...run, since: Date.now() });
    try {
      return await answer;
    } finally {
      this.runs.delete(number);
      if (this.runs.size === 0) for (const wake of this.wake.splice(0)) wake();
    }
  }

  /** Ends an operation where it looks up next. */
  kill(number: number): void {
    this.runs.get(number)?.meter.end(new EngineError('Interrupted', 'operation was interrupted'));
  }

  /** Ends all of them, and resolves when they have ended. */
  async endAll(): Promise<void> {
    for (const { meter } of this.runs.values())
      meter.end(new EngineError('InterruptedAtShutdown', 'interrupted at shutdown'));
    if (this.runs.size > 0) await new Promise<void>((resolve) => void this.wake.push(resolve));
  }

  /** What `currentOp` says of them. */
  list(): Document[] {
    return [...this.runs].map(([opid, { name, db, body, connection, since }]) => ({
      type: 'op',
      active: true,
      opid,
      connectionId: connection.id,
      op: 'command',
      ns: `${db}.${String(name === 'getMore' ? body['collection'] : body[name])}`,
      command: body,
      secs_running: Math.floor((Date.now() - since) / 1000),
      currentOpTime: new Date().toISOString(),
    }));
  }
}
