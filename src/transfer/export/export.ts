import { keysOf } from '../../media/keep-blobs.js';
import type { FileEntry } from '../../media/types.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import { FILE_UID, LOCALE_UID, PERMISSION_UID, ROLE_UID } from '../../schema/uids.js';
import { listRoles } from '../../store/access/roles.js';
import { listTokens } from '../../store/access/tokens.js';
import type { Entry } from '../../store/entries/changes.js';
import { listLocales } from '../../store/locales.js';
import { eachEntry } from '../../store/transfer/import-entries.js';
import { inLists } from '../../values/group.js';
import { ACCOUNT_SETTINGS } from '../source/account-settings.js';
import { derivedId } from '../source/derived-id.js';
import { type SelectedParts, wantedTypes, wantsType } from '../source/selection.js';
import { moved } from '../source/types.js';
import type { Export, ExportReport, ExportSource } from './context.js';
import { type LinkedVersion, linkLines } from './links.js';
import { entityLine } from './rows.js';
import { schemaLines } from './schemas.js';
import { type ArchiveWriter, putText } from './writer.js';

/** The version of Strapi whose format is written. */
const STRAPI = '5.54.0';
const BATCH = 200;

/**
 * Writes everything to an archive, in the order of Strapi's export. Reads are not a snapshot: of content
 * written meanwhile there may be an entry without its draft or with later references, and links without their ends.
 */
export async function exportContent(
  source: ExportSource,
  writer: ArchiveWriter,
  selection: SelectedParts,
  onProgress: Export['onProgress'] = () => undefined,
): Promise<ExportReport> {
  const report: ExportReport = { entries: {}, links: 0, files: 0, bytes: 0, problems: [] };
  const run: Export = { ...source, writer, selection, report, onProgress };
  try {
    await writeSchemas(run);
    await writeEntities(run);
    if (selection.parts.includes('files')) await writeAssets(run);
    await writeLinks(run);
    if (selection.parts.includes('config')) await writeConfiguration(run);
    const metadata = { createdAt: new Date().toISOString(), strapi: { version: STRAPI } };
    await putText(writer, 'metadata.json', JSON.stringify(metadata, null, 2));
    await writer.end();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
  return report;
}

async function writeSchemas({ schema, schemaFiles, writer }: Export): Promise<void> {
  const lines = writer.lines('schemas');
  for (const line of schemaLines(schema, schemaFiles)) await lines.write(line);
  await lines.end();
}

/** Every stored entry of the selected types, by version. */
async function* versionsOf(run: Export): AsyncGenerator<LinkedVersion> {
  for (const type of wantedTypes(run.schema, run.selection))
    for (const status of statusesOf(type))
      for await (const entry of eachEntry<Entry>(run.store.db, collectionName(type, status)))
        yield { type, status, entry };
}

async function writeEntities(run: Export): Promise<void> {
  const { report, onProgress, selection, store } = run;
  const lines = run.writer.lines('entities');
  let done = 0;
  for await (const version of versionsOf(run)) {
    const { type } = version;
    await lines.write(entityLine(run.schema, version));
    report.entries[type.uid] = (report.entries[type.uid] ?? 0) + 1;
    done += 1;
    onProgress('entities', done);
  }
  for (const permission of await permissionsOf(run)) await lines.write(permission.line);
  if (selection.parts.includes('content') || selection.parts.includes('config'))
    for (const locale of await listLocales(store)) {
      const { id, ...data } = locale;
      await lines.write({ type: LOCALE_UID, id, data: { ...data, locale: null } });
    }
  await lines.end();
}

interface Permission {
  readonly id: number;
  readonly role: number;
  readonly line: object;
}

/** The grants of roles, which are one row per action in Strapi. */
async function permissionsOf({ store, selection }: Export): Promise<readonly Permission[]> {
  if (!wantsType(selection, ROLE_UID)) return [];
  const all = (await listRoles(store)).flatMap((role) => role.grants.map((action) => ({ role, action })));
  return all.map(({ role, action }, at) => ({
    id: at + 1,
    role: role.id,
    line: {
      type: PERMISSION_UID,
      id: at + 1,
      data: {
        documentId: derivedId(PERMISSION_UID, role.documentId, action),
        action,
        createdAt: role.createdAt,
        updatedAt: role.updatedAt,
        publishedAt: role.publishedAt ?? role.updatedAt,
        locale: null,
      },
    },
  }));
}

async function writeLinks(run: Export): Promise<void> {
  const { report, onProgress } = run;
  const lines = run.writer.lines('links');
  for await (const batch of inLists(versionsOf(run), BATCH)) {
    for (const line of await linkLines(run, batch)) {
      await lines.write(line);
      report.links += 1;
    }
    onProgress('links', report.links);
  }
  for (const { id, role } of await permissionsOf(run))
    await lines.write({
      kind: 'relation.basic',
      relation: 'manyToOne',
      left: { type: PERMISSION_UID, field: 'role', ref: id },
      right: { type: ROLE_UID, field: 'permissions', ref: role, pos: id },
    });
  await lines.end();
}

type FileRow = Entry & Pick<FileEntry, 'id' | 'hash' | 'ext' | 'formats'>;

async function writeAssets(run: Export): Promise<void> {
  const type = run.schema.contentTypes.get(FILE_UID);
  if (!type) return;
  for await (const row of eachEntry<FileRow>(run.store.db, type.collectionName)) {
    const { data } = entityLine(run.schema, { type, status: 'published', entry: row });
    const [own = '', ...others] = keysOf(row);
    const formats = Object.entries(row.formats ?? {}).map(([name, format], at) => ({
      key: others[at] ?? '',
      sidecar: { ...format, type: name, id: Number(row.id), mainHash: row.hash },
    }));
    for (const { key, sidecar } of [{ key: own, sidecar: { id: Number(row.id), ...data } }, ...formats])
      await writeAsset(run, key, sidecar);
  }
}

async function writeAsset(
  { provider, writer, report, onProgress }: Export,
  key: string,
  sidecar: object,
): Promise<void> {
  const blob = await provider.find(key);
  if (!blob) {
    report.problems.push(moved('file', key, 'its file is missing'));
    return;
  }
  await putText(writer, `assets/metadata/${key}.json`, JSON.stringify(sidecar));
  await writer.file(`assets/uploads/${key}`, blob.size, blob.read());
  report.files += 1;
  report.bytes += blob.size;
  onProgress('files', report.files);
}

async function writeConfiguration(source: Export): Promise<void> {
  const { writer, defaultLocale, accountSettings, store } = source;
  const lines = writer.lines('configuration');
  const settings = [
    { key: 'plugin_i18n_default_locale', value: defaultLocale, type: 'string' },
    { key: ACCOUNT_SETTINGS, value: accountSettings, type: 'object' },
  ];
  for (const [at, setting] of settings.entries())
    await lines.write({
      type: 'core-store',
      value: { id: at + 1, ...setting, environment: null, tag: null },
    });
  await lines.end();
  const own = writer.lines('mangrove');
  for (const { id: _, ...value } of await listTokens(store)) await own.write({ type: 'token', value });
  await own.end();
}
