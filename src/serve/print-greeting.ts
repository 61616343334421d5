import type { Config } from '../config/types.js';

/** Prints what a person wants to read. In production stdout is for the log's JSON lines alone, so it goes to stderr there. */
export const printGreeting = (text: string, { environment }: Config): void => {
  (environment === 'production' ? process.stderr : process.stdout).write(`${text}\n`);
};
