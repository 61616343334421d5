import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { newAbortController } from '../../limits/abort-controller.js';
import { type McpServer, newServers, type WithUser } from '../../mcp/server.js';
import { packageVersion } from '../../values/package-version.js';
import type { AppDeps } from '../deps.js';
import { newBudgets, whenAborted } from '../middleware/budget.js';
import { agentParts } from './parts.js';

/**
 * A server of tools for the program that started this process: all its requests have one credential and no
 * address.
 */
export function localServer(deps: AppDeps, authorization: string | undefined): Promise<McpServer> {
  const { parts, callRoutes } = agentParts(deps);
  const newBudget = newBudgets(deps);
  const socket = new Socket();
  const headers = authorization === undefined ? {} : { authorization };

  const withUser: WithUser = async (cancelled, work) => {
    const aborting = newAbortController();
    const end = (): void => aborting.abort(cancelled.reason);
    cancelled.addEventListener('abort', end, { once: true });
    const budget = newBudget('stdio', aborting);
    const { clock, signal } = budget;
    clock.start();
    try {
      const identity = await deps.access.identify(authorization);
      const calls = callRoutes({ headers, socket, requestId: randomUUID(), budget });
      return await Promise.race([work({ caller: identity, ...calls }), whenAborted(signal)]);
    } finally {
      clock.stop();
      cancelled.removeEventListener('abort', end);
    }
  };
  return newServers(parts, packageVersion())(withUser);
}
