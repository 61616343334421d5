import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeConfig } from '../../src/config/load.js';
import { diskProvider } from '../../src/media/disk-provider.js';
import type { Schema } from '../../src/schema/types.js';
import type { Store } from '../../src/store/client.js';
import { exportContent } from '../../src/transfer/export/export.js';
import {
  type ArchiveWriter,
  openArchiveWriter,
  type WriterOptions,
} from '../../src/transfer/export/writer.js';
import { importContent } from '../../src/transfer/import/import.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import type { ImportOptions, ImportTarget } from '../../src/transfer/run/context.js';
import { FULL_SELECTION } from '../../src/transfer/source/selection.js';
import type { ImportSource } from '../../src/transfer/source/types.js';
import { objectAt } from '../../src/values/plain-object.js';

export interface ArchiveContent {
  readonly schemas?: readonly object[];
  readonly entities?: readonly object[];
  readonly links?: readonly object[];
  readonly configuration?: readonly object[];
  /** Bytes by key. */
  readonly uploads?: Readonly<Record<string, string>>;
  readonly metadata?: object;
}

/** Without documentIds, it is Strapi 4. */
const versionOf = ({ entities = [] }: ArchiveContent): string =>
  entities.length === 0 || entities.some((line) => 'documentId' in objectAt(line, 'data'))
    ? '5.54.0'
    : '4.26.1';

/** Writes an unpacked archive in the form of rules K.2. */
export async function writeArchive(folder: string, content: ArchiveContent): Promise<string> {
  const put = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  for (const stage of ['schemas', 'entities', 'links', 'configuration'] as const)
    if (content[stage])
      await put(
        `${stage}/${stage}_00001.jsonl`,
        content[stage].map((line) => `${JSON.stringify(line)}\n`).join(''),
      );
  for (const [key, bytes] of Object.entries(content.uploads ?? {})) await put(`assets/uploads/${key}`, bytes);
  await put('metadata.json', JSON.stringify(content.metadata ?? { strapi: { version: versionOf(content) } }));
  return folder;
}

/** A row of version 4: no documentId. */
export const entity = (uid: string, id: number, data: object): object => ({
  type: uid,
  id,
  data: { createdAt: '2022-01-01T00:00:00.000Z', updatedAt: '2022-01-02T00:00:00.000Z', ...data },
});

type End = readonly [uid: string, ref: number | string, pos?: number];

export const link = (
  relation: string,
  [leftUid, left, leftPos]: End,
  field: string,
  [rightUid, right, rightPos]: End,
  rightField: string | null = null,
): object => ({
  kind: leftUid === rightUid ? 'relation.circular' : 'relation.basic',
  relation,
  left: { type: leftUid, ref: left, field, ...(leftPos !== undefined && { pos: leftPos }) },
  right: { type: rightUid, ref: right, field: rightField, ...(rightPos !== undefined && { pos: rightPos }) },
});

export const siblings = (uid: string, from: number, to: number): object =>
  link('oneToMany', [uid, from, 1], 'localizations', [uid, to]);

export const targetIn = (store: Store, schema: Schema, folder: string): ImportTarget => ({
  store,
  schema,
  provider: diskProvider(join(folder, 'uploads')),
  defaultLocale: 'en',
  givenLocales: null,
  givenAccountSettings: {},
  scratch: join(folder, 'scratch'),
});

export const importAll = (
  source: ImportSource,
  target: ImportTarget,
  options: Partial<ImportOptions> = {},
): Promise<ImportReport> =>
  importContent(source, target, {
    mode: 'merge',
    selection: FULL_SELECTION,
    dryRun: false,
    verify: false,
    onProgress: () => undefined,
    ...options,
  });

export async function exportAll(
  { store, schema, provider, defaultLocale, scratch, givenAccountSettings }: ImportTarget,
  path: string,
  {
    through = (writer) => writer,
    ...options
  }: Partial<WriterOptions> & { readonly through?: (writer: ArchiveWriter) => ArchiveWriter } = {},
) {
  const writer = await openArchiveWriter({
    path,
    folder: false,
    gzip: true,
    cipher: null,
    scratch,
    ...options,
  });
  const { advanced } = makeConfig(scratch).plugins.usersPermissions;
  const accountSettings = { ...advanced, ...givenAccountSettings };
  const source = { store, schema, schemaFiles: new Map(), provider, defaultLocale, accountSettings, scratch };
  return exportContent(source, through(writer), FULL_SELECTION);
}
