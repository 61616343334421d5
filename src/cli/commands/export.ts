import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { providerOf } from '../../media/index.js';
import { note } from '../../terminal/output.js';
import { CIPHERS, type Cipher } from '../../transfer/archive/cipher.js';
import type { ExportReport } from '../../transfer/export/context.js';
import { exportContent } from '../../transfer/export/export.js';
import { openArchiveWriter } from '../../transfer/export/writer.js';
import { ownSchemaFiles } from '../../transfer/schemas/files.js';
import { type CommandLine, command, refused } from '../command.js';
import { SELECTION, type SelectionOptions, selectionOf } from '../selection.js';
import { withProject } from '../with-project.js';

interface Options extends SelectionOptions {
  readonly file?: string;
  readonly format: 'tar' | 'dir';
  readonly compress: boolean;
  readonly encrypt?: Cipher | true;
  readonly key?: string;
}

/** `mangrove export`: writes an archive in Strapi's format. */
export const exportTo = command({
  name: 'export',
  does: 'export content, media, accounts and settings to an archive',
  options: [
    ['-f, --file <name>', 'the archive, without its extension (default: export_<time>)'],
    new Option('--format <format>', 'a tar, or a folder').choices(['tar', 'dir']).default('tar'),
    ['--no-compress', 'do not compress with gzip'],
    new Option('--encrypt [cipher]', 'encrypt it').choices([...CIPHERS]),
    ['-k, --key <text>', 'the key to encrypt with (or MANGROVE_ARCHIVE_KEY)'],
    ...SELECTION,
  ],
  help: `
The archive is in the format of "strapi export": "mangrove import" reads it, and so does "strapi import" of Strapi 5 (with
--force, since an archive from Mangrove has no administrators). It also contains API tokens; only Mangrove reads those, and their
keys work if API_TOKEN_SALT is the same.

Beside programs that write, the archive fits together (what is published has its draft, links lead to entries that are in it),
but entries that are written meanwhile are of different moments. For one moment, stop the writers, or use "mangrove backup".

--encrypt alone uses AES-256-GCM, which detects tampering but can be opened only by Mangrove; "--encrypt aes-128-ecb" is what Strapi
writes and reads.

Examples:
  $ mangrove export                                           export_20260131120000.tar.gz in this folder
  $ mangrove export -f backup --encrypt --key "$KEY"          backup.tar.gz.enc
  $ mangrove export -f to-strapi --encrypt aes-128-ecb --key "$KEY"
  $ mangrove export --only content --format dir -f unpacked   only entries, as a folder`,
  async run(call: CommandLine<Options>) {
    const { options } = call;
    const cipher = cipherOf(options);
    const folder = options.format === 'dir';
    const extension = folder ? '' : `.tar${options.compress ? '.gz' : ''}${cipher ? '.enc' : ''}`;
    const path = resolve(`${options.file ?? `export_${stamp()}`}${extension}`);
    if (existsSync(path)) throw refused(`${path} already exists`);
    const report = await withProject(call, async ({ config, schema, store }) => {
      const scratch = join(config.database.dataDir, 'export');
      const files = await ownSchemaFiles(call.root);
      const source = {
        store,
        schema,
        schemaFiles: new Map(files.map(({ uid, content }) => [uid, content])),
        provider: providerOf({ config, store }),
        defaultLocale: config.plugins.i18n.defaultLocale,
        accountSettings: config.plugins.usersPermissions.advanced,
        scratch,
      };
      const writer = await openArchiveWriter({ path, folder, gzip: options.compress, cipher, scratch });
      return exportContent(source, writer, selectionOf(options), progress());
    });
    return { data: { file: path, ...report }, text: lines(path, report).join('\n') };
  },
});

const stamp = (): string => new Date().toISOString().replace(/\D/g, '').slice(0, 14);

function cipherOf({ encrypt, key, format }: Options): { name: Cipher; key: string } | null {
  if (encrypt === undefined) return null;
  if (format === 'dir') throw refused('A folder cannot be encrypted');
  const text = key ?? process.env['MANGROVE_ARCHIVE_KEY'];
  if (!text) throw refused('--encrypt requires a --key');
  return { name: encrypt === true ? 'aes-256-gcm' : encrypt, key: text };
}

const lines = (path: string, { entries, links, files, bytes, problems }: ExportReport): readonly string[] => {
  const sum = Object.values(entries).reduce((total, count) => total + count, 0);
  return [
    ...Object.entries(entries).map(([uid, count]) => `  ${uid}  ${count}`),
    `${path}: ${sum} entries, ${links} links, ${files} files of ${bytes} bytes`,
    ...(problems.length > 0 ? ['', `Left out (${problems.length}):`] : []),
    ...problems.map(({ what, at, why }) => `  ${what}  ${at}: ${why}`),
  ];
};

/** Reports progress at most once a second. */
function progress(): (stage: string, done: number) => void {
  let at = Date.now();
  return (stage, done) => {
    if (Date.now() - at < 1000) return;
    at = Date.now();
    note(`${stage}: ${done}`);
  };
}
