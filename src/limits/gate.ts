import { errors } from '../errors.js';
import { memberOf } from '../values/once-per.js';

/** Limits how many jobs run at the same time; further jobs wait. */
export interface Gate {
  /**
   * Resolves, once there is room, with a function that leaves the gate. Throws a 429 if too many are waiting:
   * the youngest job of the client with the most is refused, whichever client has just come. Throws the
   * signal's reason when it is aborted.
   */
  enter(who?: Entrant): Promise<() => void>;
  /** The same if there is room now; otherwise null. */
  enterNow(who?: Entrant): (() => void) | null;
  /** Nothing is running or waiting. */
  readonly idle: boolean;
}

/** Who enters, and how the waiting can be cancelled. */
export interface Entrant {
  /** Cancels the waiting. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The client with the fewest running jobs is next, and among those the one whose last turn was longest ago,
   * so that no client gets ahead by sending more requests.
   */
  readonly client?: string | undefined;
}

interface GateOptions {
  readonly atOnce: number;
  /** Jobs of one client that may run at the same time; no limit if absent. */
  readonly perClient?: number;
  /** Jobs that may wait. */
  readonly maxWaiting: number;
}

/** A client with running or waiting jobs. */
interface Client {
  inside: number;
  waiting: number;
  /** Number of its most recent turn. */
  lastTurn: number;
}

interface Waiting {
  readonly client: Client;
  begin(): void;
  /** Ends the waiting with an error. */
  refuse(reason: unknown): void;
}

const goesBefore = ({ client: one }: Waiting, { client: other }: Waiting): boolean => {
  const fewer = one.inside - other.inside;
  return fewer < 0 || (fewer === 0 && one.lastTurn < other.lastTurn);
};

export function createGate({ atOnce, perClient = Number.POSITIVE_INFINITY, maxWaiting }: GateOptions): Gate {
  let running = 0;
  const clients = new Map<string, Client>();
  const waiting: Waiting[] = [];
  let turns = 0;
  /** Before who has just had a turn, and after those who wait: ever new clients would keep them waiting. */
  const newClient = (): Client => ({ inside: 0, waiting: 0, lastTurn: turns - 1 });

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
  /** Makes room for one more job of a client if another client has more waiting than it would have. */
  const refuseGreediest = ({ waiting: own }: Client): boolean => {
    const most = Math.max(...[...clients.values()].map(({ waiting }) => waiting));
    if (most <= own + 1) return false;
    waiting.findLast(({ client }) => client.waiting === most)?.refuse(errors.rateLimited());
    return true;
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
      const client = memberOf(clients, name, newClient);
      if (waiting.length >= maxWaiting && !refuseGreediest(client)) {
        forget(name, client);
        throw errors.rateLimited();
      }
      return new Promise((resolve, reject) => {
        const giveUp = (): void => one.refuse(signal?.reason);
        const one: Waiting = {
          client,
          refuse(reason) {
            signal?.removeEventListener('abort', giveUp);
            remove(one);
            forget(name, client);
            reject(reason);
          },
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

/** Runs `work` inside a gate. */
export async function runThrough<T>(gate: Gate, work: () => Promise<T>, who?: Entrant): Promise<T> {
  const leave = gate.enterNow(who) ?? (await gate.enter(who));
  try {
    return await work();
  } finally {
    leave();
  }
}

/** A gate for each key that is in use, such as the address of a client. */
export const createGates = (options: GateOptions): ((key: string) => Gate) => {
  const open = new Map<string, Gate>();
  return (key) => {
    const known = open.get(key);
    if (known) return known;
    for (const [other, gate] of open) if (gate.idle) open.delete(other);
    const gate = createGate(options);
    open.set(key, gate);
    return gate;
  };
};
