import type { Document } from 'bson';
import { EngineError } from '../errors.js';
import type { Meter } from '../planner/meter.js';

/** An operation that has yielded the thread before its end. */
interface Run {
  readonly name: string;
  readonly db: string;
  readonly body: Document;
  readonly connection: { readonly id: number };
  readonly meter: Meter;
}

interface Numbered extends Run {
  readonly since: number;
}

/** The operations in progress, by number, as shown by `currentOp` and ended by `killOp`. */
export class Running {
  private readonly runs = new Map<number, Numbered>();
  private last = 0;
  private wake: (() => void)[] = [];

  /** Registers an operation until its result is available. */
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

  /** Ends an operation at its next check. */
  kill(number: number): void {
    this.runs.get(number)?.meter.end(new EngineError('Interrupted', 'operation was interrupted'));
  }

  /** Ends all of them, and resolves when they have ended. */
  async endAll(): Promise<void> {
    for (const { meter } of this.runs.values())
      meter.end(new EngineError('InterruptedAtShutdown', 'interrupted at shutdown'));
    if (this.runs.size > 0) await new Promise<void>((resolve) => void this.wake.push(resolve));
  }

  /** The description of operations for `currentOp`. */
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
