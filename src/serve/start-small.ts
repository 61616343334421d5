import { setFlagsFromString } from 'node:v8';

const FLAG = 'optimize-for-size';

/** Milliseconds after which what a start and its first requests load is there. */
const AFTER_START_MS = 5000;

/**
 * While the server starts, V8 collects rather than take more memory: nearly all that a start makes is garbage, for which V8 would take as
 * much again as the server needs. Call the function that comes back when the server listens: from some seconds later on V8 does as it
 * thinks best.
 */
export function startSmall(): () => void {
  const given = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ').replaceAll('_', '-');
  if (given.includes(FLAG)) return () => undefined;
  setFlagsFromString(`--${FLAG}`);
  return () => void setTimeout(setFlagsFromString, AFTER_START_MS, `--no-${FLAG}`).unref();
}
