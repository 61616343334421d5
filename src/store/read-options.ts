import { type AggregateOptions, MongoServerError } from 'mongodb';
import { type ApiError, errors } from '../errors.js';
import type { Store } from './client.js';

/** 64-bit integers stay `Long`: every digit of a `biginteger` is kept (SPEC 0.4, 11). */
export const readOptions = (store: Store): AggregateOptions => ({
  maxTimeMS: store.maxTimeMS,
  promoteLongs: false,
  promoteValues: true,
  ignoreUndefined: true,
});

/** The server's own codes for a read that took too long. */
const TIME_LIMIT = new Set([50, 262]);

/** A refusal for what the caller asked too much of; any other error comes back as it is. */
export function asRefusal(error: unknown, store: Store): ApiError | unknown {
  if (error instanceof MongoServerError && TIME_LIMIT.has(Number(error.code)))
    return errors.application(`The query took longer than ${store.maxTimeMS} ms and was stopped`, {
      maxTimeMS: store.maxTimeMS,
    });
  return error;
}
