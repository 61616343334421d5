import { startTestServer, type TestServer } from './test-server.js';
import { asStandalone } from './volatile-server.js';
import { commandOf, startProxy } from './wire-proxy.js';

type Overrides = Parameters<typeof startTestServer>[0];

/** Two servers of one project, as two processes are, on a deployment with transactions or one without. */
export interface TwoServers {
  readonly servers: readonly [TestServer, TestServer];
  close(): Promise<void>;
}

/** @param deployment `standalone`: through a proxy, where the server does not say that it has transactions */
export async function startTwo(
  deployment: 'transactions' | 'standalone',
  overrides: Overrides,
): Promise<TwoServers> {
  const direct = await startTestServer(overrides);
  if (deployment === 'transactions') {
    const other = await startTestServer(overrides, { beside: direct });
    return { servers: [direct, other], close: () => other.close().then(direct.close) };
  }
  const proxy = await startProxy(direct.project.databaseUri, (message) =>
    commandOf(message) === 'hello' ? asStandalone : 0,
  );
  const databaseUri = `${proxy.uri}&retryWrites=false&serverMonitoringMode=poll&heartbeatFrequencyMS=500`;
  const one = await startTestServer(overrides, { beside: direct, databaseUri });
  const two = await startTestServer(overrides, { beside: direct, databaseUri });
  return {
    servers: [one, two],
    async close() {
      await two.close();
      await one.close();
      await proxy.close();
      await direct.close();
    },
  };
}
