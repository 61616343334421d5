import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../../config/types.js';
import { startEngine } from '../../embedded/index.js';
import { errors } from '../../errors.js';
import { copyThere, engineOf, putBack, secretsOf, uploadsOf } from '../../serve/restore.js';
import { note, printJson } from '../../terminal/output.js';
import { packageVersion } from '../../values/package-version.js';
import { askForRestore } from '../ask-for-restore.js';
import { globalsOf } from '../globals.js';
import { loadSettings } from '../project-schema.js';
import { withStore } from '../with-store.js';

/** What a backup folder says of itself. Written last: a folder without it is one that was broken off. */
const MANIFEST = 'backup.json';

const refuse = (message: string) => errors.application('command-refused', message);

const needEngine = ({ database }: Config): void => {
  if (database.uri !== null || database.engine !== 'embedded')
    throw refuse(
      'This backs up the embedded engine. The project has its data in a MongoDB: use mongodump and mongorestore (docs/deployment.md), or mangrove export.',
    );
};

async function back(folder: string, _: unknown, command: Command): Promise<void> {
  const { root, json } = globalsOf(command);
  const target = resolve(folder);
  needEngine(await loadSettings(root));
  if (existsSync(target)) throw refuse(`${target} is there already; a backup makes a folder of its own`);
  const taken = await withStore(root, async ({ config, store }) => {
    // Documents first: a file that is uploaded meanwhile is one too many, not one too few.
    await store.client.db('admin').command({ backup: join(target, 'embedded') });
    const uploads = await copyThere(uploadsOf(config), join(target, 'uploads'));
    const secrets = await copyThere(secretsOf(config), join(target, 'secrets.json'));
    return { uploads, secrets };
  });
  const manifest = { mangrove: packageVersion(), at: new Date().toISOString(), ...taken };
  await writeFile(join(target, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  if (json) printJson({ folder: target, ...manifest });
  else
    note(
      `${target} holds the database${taken.uploads ? ', the uploads' : ''}${taken.secrets ? ', the secrets' : ''}.`,
    );
}

async function restore(folder: string, _: unknown, command: Command): Promise<void> {
  const { root, json } = globalsOf(command);
  const source = resolve(folder);
  const config = await loadSettings(root);
  needEngine(config);
  const text = await readFile(join(source, MANIFEST), 'utf8').catch(() => {
    throw refuse(`${source} is not a whole backup: it has no ${MANIFEST}`);
  });
  const manifest = JSON.parse(text) as { readonly at?: string };
  const engine = await startEngine({ dataDir: engineOf(config) });
  await engine.close();
  const { kept } = engine.owned ? await putBack(config, source) : await askForRestore(config, source);
  if (json) return printJson({ from: source, at: manifest.at, kept });
  note(`Restored the backup of ${manifest.at}.`);
  for (const path of kept) note(`What was there is kept: ${relative(process.cwd(), path)}`);
}

/** `mangrove backup` and `mangrove restore`: the embedded engine, with uploads and secrets. */
export function register(program: Command): void {
  program
    .command('backup <folder>')
    .description(
      'the database of the embedded engine as it is now, the uploads and the secrets, also while a server runs',
    )
    .addHelpText(
      'after',
      `
The folder is created. It holds the database as of one moment; writes continue meanwhile.

Example:
  $ mangrove backup backups/2026-01-31`,
    )
    .action(back);
  program
    .command('restore <folder>')
    .description(
      'put a backup in the place of the database, also while a server runs; what was there is kept beside it',
    )
    .addHelpText(
      'after',
      `
A running server closes its database, takes the backup and opens it again; requests wait meanwhile. Where it cannot serve the backup,
as with content of another schema, it keeps what it had.

Example:
  $ mangrove restore backups/2026-01-31`,
    )
    .action(restore);
}
