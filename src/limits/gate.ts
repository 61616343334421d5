import { errors } from '../errors.js';

/** Lets a bounded number of jobs run at the same time; others wait their turn. */
export interface Gate {
  /** Resolves when it is one's turn, with what ends it. Throws 429 where too many wait, the signal's reason when it is aborted. */
  enter(who?: Entrant): Promise<() => void>;
  /** The same where it is one's turn at once; null where one has to wait. */
  enterNow(who?: Entrant): (() => void) | null;
  /** Nobody is in it, and nobody waits. */
  readonly idle: boolean;
}

/** Who wants to enter. */
export interface Entrant {
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /**
   * Of those who wait, the one whose client has the fewest jobs inside goes next, of several such clients the one whose last turn is
   * longest ago: nobody gets more turns by asking more often.
   */
  readonly client?: string;
}

export interface GateOptions {
  readonly atOnce: number;
  /** Jobs of one client that run at the same time; absent: as many as there is room for. */
  readonly perClient?: number;
  /** More are refused at once. */
  readonly maxWaiting: number;
}

interface Waiting {
  readonly client: string;
  begin(): void;
}

export function createGate({ atOnce, perClient = Number.POSITIVE_INFINITY, maxWaiting }: GateOptions): Gate {
  let running = 0;
  const inside = new Map<string, number>();
  const waiting: Waiting[] = [];
  /** The number of each client's last turn, while it is about. */
  const lastTurn = new Map<string, number>();
  let turns = 0;

  const insideOf = (client: string): number => inside.get(client) ?? 0;
  const count = (client: string, change: 1 | -1): void => {
    running += change;
    const jobs = insideOf(client) + change;
    if (jobs === 0) inside.delete(client);
    else inside.set(client, jobs);
  };
  const remove = (one: Waiting): void => {
    waiting.splice(waiting.indexOf(one), 1);
  };
  const goesBefore = ({ client: one }: Waiting, { client: other }: Waiting): boolean => {
    const fewer = insideOf(one) - insideOf(other);
    return fewer < 0 || (fewer === 0 && (lastTurn.get(one) ?? 0) < (lastTurn.get(other) ?? 0));
  };
  const admitNext = (): void => {
    const [first, ...others] = waiting;
    if (!first) return;
    const next = others.reduce((best, one) => (goesBefore(one, best) ? one : best), first);
    if (insideOf(next.client) >= perClient) return;
    remove(next);
    next.begin();
  };
  const forget = (client: string): void => {
    if (insideOf(client) === 0 && !waiting.some((one) => one.client === client)) lastTurn.delete(client);
  };
  const start = (client: string): (() => void) => {
    count(client, 1);
    lastTurn.set(client, ++turns);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      count(client, -1);
      admitNext();
      forget(client);
    };
  };

  const enterNow: Gate['enterNow'] = ({ signal, client = '' } = {}) => {
    signal?.throwIfAborted();
    return running < atOnce && insideOf(client) < perClient ? start(client) : null;
  };

  return {
    get idle() {
      return running === 0 && waiting.length === 0;
    },
    enterNow,
    async enter(who = {}) {
      const now = enterNow(who);
      if (now) return now;
      const { signal, client = '' } = who;
      if (waiting.length >= maxWaiting) throw errors.rateLimited();
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          remove(one);
          forget(client);
          reject(signal?.reason);
        };
        const one: Waiting = {
          client,
          begin() {
            signal?.removeEventListener('abort', giveUp);
            resolve(start(client));
          },
        };
        waiting.push(one);
        signal?.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}

/** Runs a job inside a gate. */
export async function within<T>(gate: Gate, work: () => Promise<T>, who?: Entrant): Promise<T> {
  const leave = gate.enterNow(who) ?? (await gate.enter(who));
  try {
    return await work();
  } finally {
    leave();
  }
}
