import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { EJSON } from 'bson';
import { LOCALE_UID, PERMISSION_UID } from '../../schema/uids.js';
import { isObject, numericId, objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import { shortly } from '../../values/shortly.js';
import type { Line } from '../archive/lines.js';
import { type ArchiveMember, members, type OpenArchive, openArchive, readable } from '../archive/members.js';
import { ACCOUNT_SETTINGS, accountSettings } from '../source/account-settings.js';
import { derivedId } from '../source/derived-id.js';
import {
  type ImportProblem,
  type ImportSource,
  lost,
  noted,
  type SourceEntry,
  type SourceFile,
  type SourceKey,
  type SourceRecord,
} from '../source/types.js';
import { readHead, type StrapiVersion } from './head.js';
import { linkRecord } from './links.js';
import { isLines, knownMembers, LINE_STAGES, linesOf, sound, stageOf } from './members.js';
import { type ArchiveNames, namesOf } from './names.js';
import { isImported, renamesIn, schemaContent } from './schemas.js';
import { tokenOf } from './tokens.js';

const damagedRecord = (path: string, line: Line): SourceRecord[] =>
  'damaged' in line ? [noted(lost('line', `${path}, line ${line.number}`, line.damaged))] : [];

/**
 * Opens an archive of `strapi export` (versions 4 and 5) or `mangrove export`, or its unpacked folder. In
 * version 4, one row represents both versions of a locale, and links between `localizations` connect the rows
 * of a document.
 * @throws ImportError if there is none, or the key is wrong
 */
export async function openArchiveSource(path: string, key: string | null): Promise<ImportSource> {
  const archive = await openArchive(path, key);
  let done: number | null = null;
  const read = () => {
    done = null;
    const all = members(archive, (bytes) => {
      done = archive.size > 0 ? bytes / archive.size : null;
    });
    return knownMembers(path, all);
  };
  const head = await readHead(read).catch((error: unknown) => {
    throw readable(error);
  });
  const lines = head.schemas.filter(isImported);
  const names = namesOf(lines, head.version);
  const reading: Reading = { version: head.version, names, models: modelsOf(lines) };
  return {
    name: basename(path),
    fingerprint: await fingerprintOf(archive),
    extraFieldsKey: '_strapi',
    raw: { kind: 'archive', members: () => members(archive) },
    schemas: async () => lines.map((line) => schemaContent(line, reading)),
    records: () => readably(readRecords(read(), reading, renamesIn(lines, names))),
    entries: () => readably(readEntries(read(), reading)),
    files: () => readFiles(read()),
    documentIdOf: ({ uid, ref }: SourceKey) => derivedId(uid, ref),
    progress: () => (done === null ? null : { share: done, entries: null }),
    close: async () => undefined,
  };
}

/** Translates errors of a member, which occur before those of the archive. */
async function* readably<T>(all: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* all;
  } catch (error) {
    throw readable(error);
  }
}

async function fingerprintOf({ path, size, folder }: OpenArchive): Promise<string> {
  const { mtimeMs } = await stat(path);
  return createHash('sha256')
    .update(JSON.stringify([folder, size, mtimeMs]))
    .digest('hex');
}

async function* readRecords(
  all: AsyncIterable<ArchiveMember>,
  reading: Reading,
  problems: readonly ImportProblem[],
): AsyncGenerator<SourceRecord> {
  yield* problems.map(noted);
  // There are few permissions and links to them, and either may come first.
  const actions = new Map<string, string>();
  const roleOf = new Map<string, string>();
  const read = function* (stage: string, line: Record<string, unknown>): Generator<SourceRecord> {
    if (stage === 'entities') {
      const uid = String(line['type']);
      const data = objectAt(line, 'data');
      if (uid === PERMISSION_UID) actions.set(String(line['id']), String(data['action']));
      else if (uid === LOCALE_UID) yield { kind: 'locale', locale: localeOf(line['id'], data) };
      else {
        yield { kind: 'entry', entry: entryOf(line, reading) };
        yield* lostNames(line, reading);
      }
    } else if (stage === 'links') {
      const { left, right } = line;
      if (isObject(left) && isObject(right) && left['type'] === PERMISSION_UID) {
        if (left['field'] === 'role') roleOf.set(String(left['ref']), String(right['ref']));
      } else yield* linkRecord(line, reading);
    } else if (stage === 'configuration') yield* settingRecord(line);
    else if (stage === 'mangrove' && line['type'] === 'token' && isObject(line['value']))
      yield { kind: 'token', token: tokenOf(line['value']) };
  };
  for await (const member of all) {
    const stage = stageOf(member.path);
    if (!LINE_STAGES.includes(stage) || !isLines(member, stage)) continue;
    for await (const line of linesOf(member)) {
      yield* damagedRecord(member.path, line);
      if ('value' in line) yield* read(stage, line.value);
    }
  }
  for (const [id, action] of actions) {
    const role = roleOf.get(id);
    if (role !== undefined) yield { kind: 'grant', grant: { role, action } };
    else yield noted(lost('role', `${PERMISSION_UID} ${id}`, `${action} belongs to no role`));
  }
}

async function* readEntries(
  all: AsyncIterable<ArchiveMember>,
  reading: Reading,
): AsyncGenerator<SourceEntry> {
  for await (const member of all)
    if (isLines(member, 'entities'))
      for await (const line of sound(member))
        if (line['type'] !== PERMISSION_UID && line['type'] !== LOCALE_UID) yield entryOf(line, reading);
}

async function* readFiles(all: AsyncIterable<ArchiveMember>): AsyncGenerator<SourceFile> {
  for await (const { path, bytes } of all)
    if (path.startsWith('assets/uploads/')) yield { key: path.slice('assets/uploads/'.length), bytes };
}

/** The schemas of the archive by uid. */
type Models = ReadonlyMap<string, PlainObject>;

const modelsOf = (lines: readonly PlainObject[]): Models =>
  new Map(lines.map((line) => [String(line['uid']), line]));

/** What is known of the archive when its rows are read. */
interface Reading {
  readonly version: StrapiVersion;
  readonly names: ArchiveNames;
  readonly models: Models;
}

/** Fields of a row that Strapi added. The others with such a name are content, as is an unused `locale`. */
const isOfStrapi = (name: string, uid: string, { version, names, models }: Reading): boolean => {
  if (names.renamed(uid).has(name)) return false;
  if (name === 'documentId') return version === 5;
  const model = models.get(uid);
  return name !== 'locale' || !model || objectAt(model, 'pluginOptions', 'i18n')['localized'] === true;
};

const OF_STRAPI = ['documentId', 'locale', 'createdAt', 'updatedAt', 'publishedAt'] as const;

/** Reads a line of `entities`. */
function entryOf(line: PlainObject, reading: Reading): SourceEntry {
  const uid = String(line['type']);
  const row = objectAt(line, 'data');
  const fields = OF_STRAPI.filter((name) => isOfStrapi(name, uid, reading));
  const { documentId, locale, createdAt, updatedAt, publishedAt }: PlainObject = Object.fromEntries(
    fields.map((name) => [name, row[name]]),
  );
  const content = Object.entries(row).filter(([name]) => !fields.some((field) => field === name));
  const published = publishedAt !== null && publishedAt !== undefined;
  return {
    uid,
    ref: String(line['id']),
    documentId: documentIdIn(documentId),
    locale: textOf(locale),
    versions: !published ? 'draft' : reading.version === 5 ? 'published' : 'both',
    id: numericId(line['id']),
    createdAt: createdAt ?? null,
    updatedAt: updatedAt ?? null,
    publishedAt: publishedAt ?? null,
    data: reading.names.inData(uid, Object.fromEntries(content)),
    ...(isObject(line['mangrove']) && { extraFields: EJSON.deserialize(line['mangrove']) }),
    ...(isObject(line['mangroveItems']) && { extraItemFields: EJSON.deserialize(line['mangroveItems']) }),
  };
}

/** The documentId and the locale of a row if they are such as no document and no locale has. */
function lostNames(line: PlainObject, reading: Reading): SourceRecord[] {
  const uid = String(line['type']);
  const { documentId = null, locale = null } = objectAt(line, 'data');
  const report = (name: string, why: string): SourceRecord[] =>
    isOfStrapi(name, uid, reading) ? [noted(lost('value', `${uid} ${line['id']} ${name}`, why))] : [];
  return [
    ...(documentId === null || documentIdIn(documentId) !== null
      ? []
      : report('documentId', `${shortly(documentId)} is not a documentId and was replaced`)),
    ...(locale === null || textOf(locale) !== null
      ? []
      : report('locale', `${shortly(locale)} is not a locale`)),
  ];
}

const documentIdIn = (value: unknown): string | null => textOf(value) || null;

const localeOf = (id: unknown, data: Record<string, unknown>) => ({
  id: numericId(id),
  documentId: documentIdIn(data['documentId']),
  code: String(data['code']),
  name: textOf(data['name']),
  createdAt: textOf(data['createdAt']),
  updatedAt: textOf(data['updatedAt']),
});

/** Settings of the project in Strapi's core store, with where they belong here. */
const SETTINGS: Readonly<Record<string, string>> = {
  'plugin_users-permissions_grant': 'sign-in through other providers is not supported',
  'plugin_users-permissions_email': 'email templates are not imported',
  plugin_upload_settings: 'settings of uploads belong in config/plugins: upload.config',
};

function* settingRecord(line: Record<string, unknown>): Generator<SourceRecord> {
  const value = objectAt(line, 'value');
  if (line['type'] === 'webhook') {
    const at = `webhook ${String(value['name'] ?? value['id'])}`;
    return yield noted(lost('setting', at, `${String(value['url'])}: webhooks are not imported`));
  }
  const key = String(value['key']);
  if (key === 'plugin_i18n_default_locale' && typeof value['value'] === 'string')
    yield { kind: 'defaultLocale', code: value['value'].replace(/^"(.*)"$/, '$1') };
  if (key === ACCOUNT_SETTINGS) yield* accountSettings(value['value']);
  const place = Object.hasOwn(SETTINGS, key) ? SETTINGS[key] : undefined;
  if (place !== undefined) yield noted(lost('setting', key, place));
}
