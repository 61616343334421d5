import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { fillForeign } from '../store/transfer/fill-foreign.js';
import { type ForeignDatabase, openForeign } from '../store/transfer/foreign.js';
import { note } from '../terminal/output.js';
import type { ImportSource } from '../transfer/source/types.js';
import { readDump } from '../transfer/strapi3/dump.js';
import { withProject3 } from '../transfer/strapi3/project.js';
import { openStrapi3Source } from '../transfer/strapi3/source.js';
import { importProgress } from './import-progress.js';
import { globalPrivateAttributes } from './strapi3-config.js';

/** A Strapi 3 database, or a dump of one by `mongodump` or `mongoexport`. */
interface Strapi3Place {
  readonly uri: string | null;
  readonly dump: string | null;
  /** The Strapi 3 project, for its uploads, routes and settings files; null: only the database. */
  readonly project: string | null;
}

/** A dump is first loaded into a temporary engine, so that both are read the same way. */
export async function openStrapi3({ uri, dump, project }: Strapi3Place): Promise<ImportSource> {
  const database = uri === null ? await openDump(dump ?? '') : await openForeign(uri);
  try {
    const folder = project === null ? null : resolve(project);
    return await openStrapi3Source(database, {
      publicDir: folder === null ? null : join(folder, 'public'),
      ...(folder !== null && {
        definitions: withProject3(folder),
        privateAttributes: await globalPrivateAttributes(folder),
      }),
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDump(folder: string): Promise<ForeignDatabase> {
  const dump = await readDump(folder);
  const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-dump-'));
  const engine = await startEngine({ dataDir, durable: false });
  const end = async (): Promise<void> => {
    await engine.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const report = importProgress();
    const loaded = (at: number): void => report({ phase: 'load', at, total: null, share: dump.share() });
    for (const [name, count] of await fillForeign(engine.uri, dump.documents, loaded))
      note(`${name}: ${count} documents read`);
    const database = await openForeign(engine.uri);
    return {
      ...database,
      name: folder,
      close: async () => {
        await database.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
