import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config/types.js';
import { startEngine } from '../embedded/index.js';
import { errors } from '../errors.js';
import { globalsOf } from './globals.js';
import { packageVersion } from './init/package-version.js';
import { note, printJson } from './output.js';
import { loadSettings } from './project-schema.js';
import { withStore } from './with-store.js';

/** What a backup folder says of itself. Written last: a folder without it is one that was broken off. */
const MANIFEST = 'backup.json';

const refuse = (message: string) => errors.application('command-refused', message);

const needEngine = ({ database }: Config): void => {
  if (database.uri !== null || database.engine !== 'embedded')
    throw refuse(
      'This backs up the embedded engine. The project has its data in a MongoDB: use mongodump and mongorestore (docs/deployment.md), or mangrove export.',
    );
};

const engineOf = ({ database }: Config): string => join(database.dataDir, 'embedded');
const uploadsOf = ({ server }: Config): string => join(server.publicDir, 'uploads');
const secretsOf = ({ database }: Config): string => join(database.dataDir, 'secrets.json');

/** Copies a file or folder where it is there. */
const copyThere = async (from: string, to: string): Promise<boolean> => {
  if (!existsSync(from)) return false;
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to, { recursive: true, errorOnExist: true, force: false });
  return true;
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

/** Puts a folder or file in the place of another, which stays beside it under another name. */
const replace = async (from: string, to: string, aside: string): Promise<string | null> => {
  const incoming = `${to}.incoming-${process.pid}`;
  await copyThere(from, incoming);
  const kept = existsSync(to) ? `${to}.${aside}` : null;
  if (kept) await rename(to, kept);
  await rename(incoming, to);
  return kept;
};

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
  if (!engine.owned)
    throw refuse('A server has this database open. Stop it first: it would go on with what it knows.');
  const aside = `before-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}`;
  const pairs = [
    ['embedded', engineOf(config)],
    ['uploads', uploadsOf(config)],
    ['secrets.json', secretsOf(config)],
  ] as const;
  const kept: string[] = [];
  for (const [name, to] of pairs) {
    if (!existsSync(join(source, name))) continue;
    const old = await replace(join(source, name), to, aside);
    if (old) kept.push(old);
  }
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
The folder is made. The database in it is the state of one moment; whoever writes meanwhile goes on.

Example:
  $ mangrove backup backups/2026-01-31`,
    )
    .action(back);
  program
    .command('restore <folder>')
    .description(
      'put a backup in the place of the database, with the server stopped; what was there is kept beside it',
    )
    .addHelpText(
      'after',
      `
Example:
  $ mangrove restore backups/2026-01-31`,
    )
    .action(restore);
}
