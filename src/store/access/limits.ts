import type * as RateLimiters from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { packageOnUse } from '../../values/on-use.js';
import type { Store } from '../connection/store.js';

const rateLimiters = packageOnUse<typeof RateLimiters>('rate-limiter-flexible');

/** Counts an attempt under a key; false if the key has no attempts left. */
type TryCounter = (key: string) => Promise<boolean>;

/**
 * Allows `max` attempts per `intervalMs`, counted in `mangrove.limits` and so across processes. If the
 * database is unavailable, each process counts by itself rather than refusing or allowing everything.
 */
export const createAttemptCounter = (store: Store, max: number, intervalMs: number): TryCounter => {
  let limiters: Limiters | null = null;
  return (key) => {
    limiters ??= limitersOf(store, max, intervalMs);
    const { shared, local } = limiters;
    return consume(shared, key).catch(() => consume(local, key));
  };
};

interface Limiters {
  readonly shared: RateLimiterAbstract;
  readonly local: RateLimiterAbstract;
}

function limitersOf(store: Store, max: number, intervalMs: number): Limiters {
  const { RateLimiterMemory, RateLimiterMongo } = rateLimiters();
  const window = { points: max, duration: intervalMs / 1000 };
  const local = new RateLimiterMemory(window);
  const shared = new RateLimiterMongo({
    ...window,
    storeClient: store.client,
    dbName: store.db.databaseName,
    tableName: 'mangrove.limits',
    keyPrefix: `${max}/${intervalMs}`,
    insuranceLimiter: local,
    // A key without attempts left is refused without a query, so that a flood of requests costs next to
    // nothing.
    inMemoryBlockOnConsumed: max + 1,
    disableIndexesCreation: true,
  });
  return { shared, local };
}

async function consume(limiter: RateLimiterAbstract, key: string): Promise<boolean> {
  try {
    await limiter.consume(key);
    return true;
  } catch (refusal) {
    if (refusal instanceof rateLimiters().RateLimiterRes) return false;
    throw refusal;
  }
}
