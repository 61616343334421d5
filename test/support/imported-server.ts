import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewToken } from '../../src/access/credentials/tokens.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import { importContent } from '../../src/transfer/import/import.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import type { ImportOptions, ImportTarget } from '../../src/transfer/run/context.js';
import { FULL_SELECTION } from '../../src/transfer/source/selection.js';
import type { ImportSource } from '../../src/transfer/source/types.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { settled } from './engine.js';
import type { SymbolMap } from './load-fixture.js';
import { FIXTURE, startTestServer, type TestServer } from './test-server.js';

export const ARCHIVE = join(FIXTURE, '..', 'export', 'fixture.tar.gz');

export const IMPORT_ALL: ImportOptions = {
  mode: 'merge',
  selection: FULL_SELECTION,
  dryRun: false,
  verify: false,
  onProgress: () => undefined,
};

/** The target of an import into this server's database. */
export const targetOf = ({ project }: TestServer): ImportTarget => ({
  store: project.store,
  schema: project.schema,
  provider: project.media.provider,
  defaultLocale: project.config.plugins.i18n.defaultLocale,
  givenLocales: null,
  givenAccountSettings: {},
  scratch: join(project.config.database.dataDir, 'import'),
});

export const importInto = async (
  server: TestServer,
  source: ImportSource,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> => importContent(source, targetOf(server), { ...IMPORT_ALL, ...options });

interface ImportedServer extends TestServer {
  readonly map: SymbolMap;
  readonly report: ImportReport;
}

const seed = <T>(name: string): T => JSON.parse(readFileSync(join(FIXTURE, `${name}.json`), 'utf8')) as T;

/**
 * A server into whose empty database Strapi's archive of the conformance fixture was imported before its first start.
 */
export const startImportedServer = async (
  settings: ConfigOverrides,
  archive = ARCHIVE,
  key: string | null = null,
): Promise<ImportedServer> => {
  const first = await startTestServer(settings);
  await settled(first.project.store);
  await first.project.store.db.dropDatabase();
  const report = await importInto(first, await openArchiveSource(archive, key), { verify: true });
  const server = await startTestServer(settings, { beside: first });
  // Strapi's archives contain no tokens.
  const tokens = seed<(Omit<NewToken, 'expiresAt'> & { expiresAt?: string })[]>('seed/tokens');
  for (const { expiresAt, ...token } of tokens)
    await server.project.access.tokens.create({
      ...token,
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }),
    });
  const close = async (): Promise<void> => {
    await server.close();
    await first.close();
  };
  return { ...server, map: seed<SymbolMap>('seed-map.sqlite'), report, close };
};
