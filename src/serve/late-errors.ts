import type { Serving } from './index.js';

/**
 * Records what a Strapi project's code throws when nothing waits for it, in a timer or in a promise that is not
 * awaited. One route's mistake would otherwise end the process, and with it the requests of all others. For a process
 * that only serves.
 */
export function recordLateErrors({ project: { code, events } }: Pick<Serving, 'project'>): void {
  if (!code.running) return;
  const record = (error: unknown): void => {
    try {
      events.record({ name: 'code-failed-late', err: error });
    } catch {
      events.record({ name: 'code-failed-late', err: new TypeError('an error that cannot be read') });
    }
  };
  process.on('unhandledRejection', record);
  process.on('uncaughtException', record);
}
