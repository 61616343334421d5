import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { startEngine } from '@mangrove/engine';
import type { Config } from '../../config/types.js';
import { copyThere, engineFolder, putBack, secretsOf, uploadsOf } from '../../serve/restore.js';
import { packageVersion } from '../../values/package-version.js';
import { command, refused } from '../command.js';
import { loadSettings } from '../project-schema.js';
import { requestRestore } from '../request-restore.js';
import { withConfigured } from '../with-store.js';

/** The backup's manifest. Written last: without it, the backup is incomplete. */
const MANIFEST = 'backup.json';

const needEngine = ({ database }: Config): void => {
  if (database.uri !== null || database.engine !== 'embedded')
    throw refused(
      'This command backs up the embedded engine. The data of this project is in MongoDB: use mongodump and mongorestore (docs/deployment.md), or mangrove export.',
    );
};

/** `mangrove backup`: backs up the embedded engine, uploads and secrets. */
export const backup = command({
  name: 'backup <folder>',
  does: 'back up the database of the embedded engine, the uploads and the secrets, even while a server is running',
  help: `
The folder is created. It contains a consistent snapshot of the database; writes continue meanwhile.

Example:
  $ mangrove backup backups/2026-01-31`,
  async run({ root }, folder: string) {
    const target = resolve(folder);
    needEngine(await loadSettings(root));
    if (existsSync(target)) throw refused(`${target} already exists; a backup creates its own folder`);
    const taken = await withConfigured(root, async ({ config, store }) => {
      // Documents first: if a file is uploaded meanwhile, the backup has one too many rather than one too
      // few.
      await store.client.db('admin').command({ backup: join(target, 'embedded') });
      const uploads = await copyThere(uploadsOf(config), join(target, 'uploads'));
      const secrets = await copyThere(secretsOf(config), join(target, 'secrets.json'));
      return { uploads, secrets };
    });
    const manifest = { mangrove: packageVersion(), at: new Date().toISOString(), ...taken };
    await writeFile(join(target, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    const holds = [
      'the database',
      ...(taken.uploads ? ['the uploads'] : []),
      ...(taken.secrets ? ['the secrets'] : []),
    ];
    return { data: { folder: target, ...manifest }, notes: [`${target} contains ${holds.join(', ')}.`] };
  },
});

/** `mangrove restore`: replaces the present data with a backup. */
export const restore = command({
  name: 'restore <folder>',
  does: 'replace the database with a backup, even while a server is running; the previous data is kept next to it',
  help: `
A running server closes its database, switches to the backup and opens it again; requests wait meanwhile. If it cannot serve the
backup, for example because of a different schema, it keeps the current data.

Example:
  $ mangrove restore backups/2026-01-31`,
  async run({ root }, folder: string) {
    const source = resolve(folder);
    const config = await loadSettings(root);
    needEngine(config);
    const text = await readFile(join(source, MANIFEST), 'utf8').catch(() => {
      throw refused(`${source} is not a complete backup: it has no ${MANIFEST}`);
    });
    const { at }: { readonly at?: string } = JSON.parse(text);
    const engine = await startEngine({ dataDir: engineFolder(config) });
    await engine.close();
    const { kept } = engine.owned ? await putBack(config, source) : await requestRestore(config, source);
    const beside = kept.map((path) => `The previous data is kept: ${relative(process.cwd(), path)}`);
    return { data: { from: source, at, kept }, notes: [`Restored the backup of ${at}.`, ...beside] };
  },
});
