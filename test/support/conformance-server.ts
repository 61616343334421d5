import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import { listen } from '../../src/http/server.js';
import { openProject, type Project } from '../../src/project.js';
import { type FixtureTarget, loadFixture, type SymbolMap } from './load-fixture.js';

const FIXTURE = fileURLToPath(new URL('../conformance/fixture', import.meta.url));

export type Configuration = 'default' | 'strict';

/** The two configurations that the recorded answers assume (test/conformance/README.md), with Mangrove's switches on Strapi's side. */
const settingsOf = (configuration: Configuration): ConfigOverrides => {
  const strict = configuration === 'strict';
  const page = strict
    ? { defaultLimit: 5, maxLimit: 7, withCount: false }
    : { defaultLimit: 25, maxLimit: 100, withCount: true };
  const ratelimit = strict
    ? { enabled: true, interval: 60_000, max: 10 }
    : { enabled: true, interval: 300_000, max: 100_000 };
  return {
    environment: 'production',
    rest: { ...page, strictParams: strict, componentIds: true, publicDrafts: true },
    documents: { strictParams: strict, stableIds: false },
    plugins: {
      i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'de'] },
      usersPermissions: { register: { allowedFields: ['nickname'] }, ratelimit },
    },
    middlewares: { logger: { level: 'error' } },
    secrets: { jwtSecret: 'only-for-the-corpus', apiTokenSalt: 'only-for-the-corpus' },
  };
};

export interface ConformanceServer {
  readonly url: string;
  readonly map: SymbolMap;
  readonly project: Project;
  /** The address of the database behind it, its name included. */
  readonly database: string;
  close(): Promise<void>;
}

const withName = (uri: string, name: string): string => {
  const url = /^(mongodb(?:\+srv)?:\/\/[^/]+)(?:\/[^?]*)?(\?.*)?$/.exec(uri);
  return url ? `${url[1]}/${name}${url[2] ?? ''}` : uri;
};

/**
 * A freshly seeded server of the fixture, in this process: on the engine that MONGODB_URI names, in a database of its own that
 * is dropped at the end, or on an embedded one in a temporary folder.
 */
export const startConformanceServer = async (
  configuration: Configuration,
  port = 0,
): Promise<ConformanceServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-conformance-'));
  const uri = process.env['MONGODB_URI'] || null;
  const name = `conformance_${process.pid}_${Date.now().toString(36)}_${configuration}`;
  const project = await openProject({
    root: folder,
    env: { NODE_ENV: 'production' },
    schemaFolder: join(FIXTURE, 'schemas'),
    overrides: {
      ...settingsOf(configuration),
      database: { uri, name, dataDir: join(folder, 'data') },
      server: { publicDir: join(folder, 'public') },
    },
  });
  const { config, store, schema, documents, access } = project;
  const upload: FixtureTarget['upload'] = ({ file, type, alternativeText, caption }, path) =>
    project.upload({ path, name: file, mime: type, fileInfo: { alternativeText, caption } });
  const map = await loadFixture({ store, schema, documents, access, folder: FIXTURE, upload });
  const logger = pino({ level: config.middlewares.logger.level });
  const app = createApp({ ...project, logger, ready: async () => true });
  const server = await listen(app, { host: '127.0.0.1', port });
  const close = async (): Promise<void> => {
    await server.drain(1000);
    if (uri !== null) await store.db.dropDatabase();
    await project.close();
    await rm(folder, { recursive: true, force: true });
  };
  const database = withName(project.databaseUri, name);
  return { url: `http://127.0.0.1:${server.port}`, map, project, database, close };
};
