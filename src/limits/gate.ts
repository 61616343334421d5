import { errors } from '../errors.js';
import { memberOf } from '../values/once-per.js';

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
interface Entrant {
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /**
   * Of those who wait, the one whose client has the fewest jobs inside goes next, of several such clients the one whose last turn is
   * longest ago: nobody gets more turns by asking more often.
   */
  readonly client?: string;
}

interface GateOptions {
  readonly atOnce: number;
  /** Jobs of one client that run at the same time; absent: as many as there is room for. */
  readonly perClient?: number;
  /** More are refused at once. */
  readonly maxWaiting: number;
}

/** A client, while it has jobs inside or waiting. */
interface Client {
  inside: number;
  waiting: number;
  /** The number of its last turn. */
  lastTurn: number;
}

interface Waiting {
  readonly client: Client;
  begin(): void;
}

const newClient = (): Client => ({ inside: 0, waiting: 0, lastTurn: 0 });

const goesBefore = ({ client: one }: Waiting, { client: other }: Waiting): boolean => {
  const fewer = one.inside - other.inside;
  return fewer < 0 || (fewer === 0 && one.lastTurn < other.lastTurn);
};

export function createGate({ atOnce, perClient = Number.POSITIVE_INFINITY, maxWaiting }: GateOptions): Gate {
  let running = 0;
  const clients = new Map<string, Client>();
  const waiting: Waiting[] = [];
  let turns = 0;

  const remove = (one: Waiting): void => {
    waiting.splice(waiting.indexOf(one), 1);
    one.client.waiting -= 1;
  };
  const admitNext = (): void => {
    const [first, ...others] = waiting;
    if (!first) return;
    const next = others.reduce((best, one) => (goesBefore(one, best) ? one : best), first);
    if (next.client.inside >= perClient) return;
    remove(next);
    next.begin();
  };
  const forget = (name: string, client: Client): void => {
    if (client.inside === 0 && client.waiting === 0) clients.delete(name);
  };
  const start = (name: string, client: Client): (() => void) => {
    running += 1;
    client.inside += 1;
    client.lastTurn = ++turns;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      running -= 1;
      client.inside -= 1;
      if (waiting.length > 0) admitNext();
      forget(name, client);
    };
  };

  const enterNow: Gate['enterNow'] = ({ signal, client: name = '' } = {}) => {
    signal?.throwIfAborted();
    if (running >= atOnce) return null;
    const client = memberOf(clients, name, newClient);
    return client.inside < perClient ? start(name, client) : null;
  };

  return {
    get idle() {
      return running === 0 && waiting.length === 0;
    },
    enterNow,
    async enter(who = {}) {
      const now = enterNow(who);
      if (now) return now;
      const { signal, client: name = '' } = who;
      if (waiting.length >= maxWaiting) throw errors.rateLimited();
      const client = memberOf(clients, name, newClient);
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          remove(one);
          forget(name, client);
          reject(signal?.reason);
        };
        const one: Waiting = {
          client,
          begin() {
            signal?.removeEventListener('abort', giveUp);
            resolve(start(name, client));
          },
        };
        client.waiting += 1;
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
