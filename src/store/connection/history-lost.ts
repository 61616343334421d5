import { MongoError } from 'mongodb';

/** ChangeStreamHistoryLost, ChangeStreamFatalError, InvalidResumeToken. */
const CODES: ReadonlySet<unknown> = new Set([286, 280, 260]);

/** Whether the changes after a resume token are gone, so that a change stream cannot resume from it. */
export const isHistoryLost = (error: unknown): boolean =>
  error instanceof MongoError && CODES.has(error.code);
