import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';

let running: Promise<ConformanceServer> | null = null;
let users = 0;

/**
 * One server of the fixture for all tests here: they only change entries that they created, and leave the fixture
 * unchanged.
 */
export const useServer = (): Promise<ConformanceServer> => {
  users += 1;
  running ??= startConformanceServer('default');
  return running;
};

/** Called by each suite that is done; the last one stops the server. */
export const leaveServer = async (): Promise<void> => {
  users -= 1;
  const server = running;
  if (users > 0 || !server) return;
  running = null;
  await (await server).close();
};
