import type { Identity } from '../access/index.js';
import type { Config } from '../config/types.js';
import { errors } from '../errors.js';

export interface StreamLimits {
  /**
   * Counts one more stream, until the returned function is called. Throws a 429 if its caller has too many, a 503 if
   * there are too many altogether.
   */
  enter(address: string, caller: Identity): () => void;
  readonly open: number;
}

export function limitStreams({ maxStreams, maxPerCaller }: Config['live']): StreamLimits {
  /** The address of each stream, and its account. */
  const streams = new Set<readonly string[]>();
  const isFull = (name: string): boolean => {
    let count = 0;
    for (const names of streams) if (names.includes(name)) count += 1;
    return count >= maxPerCaller;
  };
  return {
    get open() {
      return streams.size;
    },
    enter(address, caller) {
      const names = [address, ...(caller.kind === 'user' ? [`account ${caller.userId}`] : [])];
      if (names.some(isFull)) throw errors.tooManyStreams(maxPerCaller);
      if (streams.size >= maxStreams) throw errors.streamsExhausted(maxStreams);
      streams.add(names);
      return () => void streams.delete(names);
    },
  };
}
