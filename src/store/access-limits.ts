import { RateLimiterMemory, RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import type { Store } from './client.js';

/** Counts tries of a key; false when it has had its number of them. */
export type TryCounter = (key: string) => Promise<boolean>;

/**
 * `max` tries per `intervalMs`, counted in `mangrove.limits` and so across processes. Where the database cannot count, this
 * process counts alone rather than refusing or waving everyone through.
 */
export const createTryCounter = (store: Store, max: number, intervalMs: number): TryCounter => {
  const window = { points: max, duration: intervalMs / 1000 };
  const alone = new RateLimiterMemory(window);
  const shared = new RateLimiterMongo({
    ...window,
    storeClient: store.client,
    dbName: store.db.databaseName,
    tableName: 'mangrove.limits',
    keyPrefix: `${max}/${intervalMs}`,
    insuranceLimiter: alone,
    // A key that is out of tries is refused without asking the database, so a flood costs next to nothing.
    inMemoryBlockOnConsumed: max + 1,
    disableIndexesCreation: true,
  });
  const consume = async (limiter: RateLimiterMongo | RateLimiterMemory, key: string): Promise<boolean> => {
    try {
      await limiter.consume(key);
      return true;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return false;
      throw refusal;
    }
  };
  return (key) => consume(shared, key).catch(() => consume(alone, key));
};
