import { MongoServerError } from 'mongodb';
import { isUnavailable } from './unavailable.js';

/**
 * Sends a read a second time if the server answered that it cannot do it now: the driver repeats reads after some of
 * these errors, but not after a WriteConflict or a killed cursor.
 */
export const readAgain = <T>(read: () => Promise<T>): Promise<T> =>
  read().catch((error: unknown) => {
    if (error instanceof MongoServerError && isUnavailable(error)) return read();
    throw error;
  });
