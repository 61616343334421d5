import { keysOf } from '../../media/keep-blobs.js';
import type { FileEntry } from '../../media/types.js';
import { existingType } from '../../schema/find.js';
import { FILE_UID, LOCALE_UID, PERMISSION_UID, ROLE_UID } from '../../schema/uids.js';
import { listRoles } from '../../store/access/roles.js';
import { listTokens } from '../../store/access/tokens.js';
import type { Entry } from '../../store/entries/changes.js';
import { listLocales } from '../../store/locales.js';
import { ACCOUNT_SETTINGS } from '../source/account-settings.js';
import { derivedId } from '../source/derived-id.js';
import type { SelectedParts } from '../source/selection.js';
import { moved } from '../source/types.js';
import type { Export, ExportReport, ExportSource } from './context.js';
import { exportedRows } from './exported.js';
import { linkLines, type ReferringRow, referringRows } from './links.js';
import { entityLine } from './rows.js';
import { schemaLines } from './schemas.js';
import { openSpools, type Spool } from './spool.js';
import { versionsOf } from './versions.js';
import { type ArchiveWriter, putText } from './writer.js';

/** The version of Strapi whose format is written. */
const STRAPI = '5.54.0';

/**
 * Writes everything to an archive, in the order of Strapi's export. Each entry is read once, with its references,
 * and links lead to entries that are in the archive. Reads are no snapshot: entries that are written meanwhile are
 * of different moments.
 */
export async function exportContent(
  source: ExportSource,
  writer: ArchiveWriter,
  selection: SelectedParts,
  onProgress: Export['onProgress'] = () => undefined,
): Promise<ExportReport> {
  const report: ExportReport = { entries: {}, links: 0, files: 0, bytes: 0, problems: [] };
  const spools = await openSpools(source.scratch);
  const run: Export = { ...source, writer, selection, report, onProgress, spools, exported: exportedRows() };
  try {
    await writeSchemas(run);
    const read = await writeEntities(run);
    if (selection.parts.includes('files')) await writeAssets(run, read.files);
    await writeLinks(run, read);
    if (selection.parts.includes('config')) await writeConfiguration(run);
    const metadata = { createdAt: new Date().toISOString(), strapi: { version: STRAPI } };
    await putText(writer, 'metadata.json', JSON.stringify(metadata, null, 2));
    await writer.end();
  } catch (error) {
    await writer.abandon();
    throw error;
  } finally {
    await spools.remove();
  }
  return report;
}

async function writeSchemas({ schema, schemaFiles, writer }: Export): Promise<void> {
  const lines = writer.lines('schemas');
  for (const line of schemaLines(schema, schemaFiles)) await lines.write(line);
  await lines.end();
}

/** What is written later, as it was when the entries were read. */
interface ReadEntries {
  readonly references: Spool<ReferringRow>;
  readonly files: Spool<FileRow>;
  readonly permissions: readonly Permission[];
}

async function writeEntities(run: Export): Promise<ReadEntries> {
  const { report, onProgress, selection, spools, store } = run;
  const lines = run.writer.lines('entities');
  const references = spools.open<ReferringRow>();
  const files = spools.open<FileRow>();
  let done = 0;
  for await (const version of versionsOf(run)) {
    const { type, entry } = version;
    await lines.write(entityLine(run.schema, version));
    for (const row of referringRows(run, version)) await references.put(row);
    if (type.uid === FILE_UID) await files.put(entry as FileRow);
    report.entries[type.uid] = (report.entries[type.uid] ?? 0) + 1;
    done += 1;
    onProgress('entities', done);
  }
  const permissions = await permissionsOf(run);
  for (const permission of permissions) await lines.write(permission.line);
  if (selection.parts.includes('content') || selection.parts.includes('config'))
    for (const locale of await listLocales(store)) {
      const { id, ...data } = locale;
      await lines.write({ type: LOCALE_UID, id, data: { ...data, locale: null } });
    }
  await lines.end();
  return { references, files, permissions };
}

interface Permission {
  readonly id: number;
  readonly role: number;
  readonly line: object;
}

/** The grants of the roles in the archive, which are one row per action in Strapi. */
async function permissionsOf({ store, exported }: Export): Promise<readonly Permission[]> {
  const roles = (await listRoles(store)).filter(
    (role) => exported.rowsOf(ROLE_UID, role.documentId).length > 0,
  );
  const all = roles.flatMap((role) => role.grants.map((action) => ({ role, action })));
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

async function writeLinks(run: Export, { references, permissions }: ReadEntries): Promise<void> {
  const { report, onProgress } = run;
  const lines = run.writer.lines('links');
  for await (const row of references.all())
    for (const line of linkLines(run, row)) {
      await lines.write(line);
      report.links += 1;
      onProgress('links', report.links);
    }
  for (const { id, role } of permissions)
    await lines.write({
      kind: 'relation.basic',
      relation: 'manyToOne',
      left: { type: PERMISSION_UID, field: 'role', ref: id },
      right: { type: ROLE_UID, field: 'permissions', ref: role, pos: id },
    });
  await lines.end();
}

type FileRow = Entry & Pick<FileEntry, 'id' | 'hash' | 'ext' | 'formats'>;

async function writeAssets(run: Export, files: Spool<FileRow>): Promise<void> {
  const type = existingType(run.schema, FILE_UID);
  for await (const row of files.all()) {
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
