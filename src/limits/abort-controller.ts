import { setMaxListeners } from 'node:events';

/** What aborts the work of one request, which may wait for many things at once: no leak to warn about. */
export function newAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}
