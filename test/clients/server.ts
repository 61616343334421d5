import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';

let running: Promise<ConformanceServer> | null = null;
let users = 0;

/** One server of the fixture for all tests here: what they make is their own, and what they read of the fixture stays. */
export const useServer = (): Promise<ConformanceServer> => {
  users += 1;
  running ??= startConformanceServer('default');
  return running;
};

/** The last one out stops it. */
export const leaveServer = async (): Promise<void> => {
  users -= 1;
  const server = running;
  if (users > 0 || !server) return;
  running = null;
  await (await server).close();
};
