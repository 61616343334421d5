import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runFolder } from '../../packages/engine/test/support/temporary.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import { type FixtureTarget, loadFixture, type SymbolMap } from './load-fixture.js';
import {
  FIXTURE,
  keepServer,
  startTestServer,
  type TestServer,
  type TestServerOptions,
} from './test-server.js';

export type Configuration = 'default' | 'strict';

/**
 * The two configurations that the recorded responses assume (test/conformance/README.md), with Mangrove's settings set
 * to Strapi's behaviour.
 */
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

/** The kept folder; also the database of every server of the fixture that has its own engine, whose copy contains it. */
const NAME = 'fixture';
const MAP = 'map.json';

/** Keeps the loaded data for the next server, unless another process was faster. */
async function keepLoaded(server: TestServer, map: SymbolMap, kept: string): Promise<void> {
  const folder = await mkdtemp(`${kept}-`);
  await keepServer(server, folder);
  await writeFile(join(folder, MAP), JSON.stringify(map));
  await rename(folder, kept).catch(() => rm(folder, { recursive: true }));
}

/**
 * A server of the fixture (test/conformance/README.md), in this process: freshly seeded, or with a copy of what an
 * earlier one of this run was seeded with.
 */
export const startConformanceServer = async (
  configuration: Configuration,
  port = 0,
  more: ConfigOverrides = {},
  options: TestServerOptions = {},
): Promise<ConformanceServer> => {
  const run = runFolder();
  const kept = run && join(run, NAME);
  const filled = kept !== null && existsSync(kept);
  const server = await startTestServer(
    { ...settingsOf(configuration), ...more },
    {
      ...options,
      port,
      ...(kept && !process.env['MONGODB_URI'] && { name: NAME }),
      ...(filled && { filled: kept }),
    },
  );
  if (filled) return { ...server, map: JSON.parse(await readFile(join(kept, MAP), 'utf8')) as SymbolMap };
  const { store, schema, documents, access, upload } = server.project;
  const asUpload: FixtureTarget['upload'] = ({ file, type, alternativeText, caption }, path) =>
    upload({ path, name: file, mime: type, fileInfo: { alternativeText, caption } });
  const map = await loadFixture({ store, schema, documents, access, folder: FIXTURE, upload: asUpload });
  if (kept) await keepLoaded(server, map, kept);
  return { ...server, map };
};
