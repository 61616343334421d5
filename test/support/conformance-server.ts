import type { ConfigOverrides } from '../../src/config/load.js';
import { type FixtureTarget, loadFixture, type SymbolMap } from './load-fixture.js';
import { FIXTURE, startTestServer, type TestServer } from './test-server.js';

export type Configuration = 'default' | 'strict';

/** The two configurations that the recorded answers assume (test/conformance/README.md), with Mangrove's switches on Strapi's side. */
export const settingsOf = (configuration: Configuration): ConfigOverrides => {
  const strict = configuration === 'strict';
  const page = strict
    ? { defaultLimit: 5, maxLimit: 7, withCount: false }
    : { defaultLimit: 25, maxLimit: 100, withCount: true };
  const ratelimit = strict
    ? { enabled: true, interval: 60_000, max: 10 }
    : { enabled: true, interval: 300_000, max: 100_000 };
  return {
    rest: { ...page, strictParams: strict, componentIds: true, publicDrafts: true },
    documents: { strictParams: strict, stableIds: false },
    plugins: { usersPermissions: { register: { allowedFields: ['nickname'] }, ratelimit } },
  };
};

export interface ConformanceServer extends TestServer {
  readonly map: SymbolMap;
}

/** A freshly seeded server of the fixture (test/conformance/README.md), in this process. */
export const startConformanceServer = async (
  configuration: Configuration,
  port = 0,
  more: ConfigOverrides = {},
): Promise<ConformanceServer> => {
  const server = await startTestServer({ ...settingsOf(configuration), ...more }, { port });
  const { store, schema, documents, access, upload } = server.project;
  const asUpload: FixtureTarget['upload'] = ({ file, type, alternativeText, caption }, path) =>
    upload({ path, name: file, mime: type, fileInfo: { alternativeText, caption } });
  const map = await loadFixture({ store, schema, documents, access, folder: FIXTURE, upload: asUpload });
  return { ...server, map };
};
