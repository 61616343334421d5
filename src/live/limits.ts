import type { Identity } from '../access/index.js';
import { errors } from '../errors.js';

export interface StreamSettings {
  /** Streams of this process. */
  readonly maxStreams: number;
  /** Streams of one address, and of one account. */
  readonly maxPerCaller: number;
}

export interface StreamLimits {
  /**
   * Counts one more stream, until the returned function is called. Throws a 429 if its caller has too many, a 503 if
   * there are too many altogether.
   */
  enter(address: string, caller: Identity): () => void;
  readonly open: number;
}

export function limitStreams({ maxStreams, maxPerCaller }: StreamSettings): StreamLimits {
  const counts = new Map<string, number>();
  let open = 0;
  const add = (name: string, more: 1 | -1): void => {
    const count = (counts.get(name) ?? 0) + more;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  };
  return {
    get open() {
      return open;
    },
    enter(address, caller) {
      const names = [address, ...(caller.kind === 'user' ? [`account ${caller.userId}`] : [])];
      if (names.some((name) => (counts.get(name) ?? 0) >= maxPerCaller))
        throw errors.tooManyStreams(maxPerCaller);
      if (open >= maxStreams) throw errors.streamsExhausted(maxStreams);
      open += 1;
      for (const name of names) add(name, 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        open -= 1;
        for (const name of names) add(name, -1);
      };
    },
  };
}
