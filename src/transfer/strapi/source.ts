import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { EJSON } from 'bson';
import { LOCALE_UID, PERMISSION_UID } from '../../schema/uids.js';
import { isObject, numberOf, objectAt, textOf } from '../../values/plain-object.js';
import { type Member, members, type OpenArchive, openArchive, readable } from '../archive/members.js';
import type { Spooled } from '../archive/spool.js';
import { derivedId } from '../source/derived-id.js';
import { ImportError } from '../source/error.js';
import {
  type ImportSource,
  lost,
  noted,
  type SourceEntry,
  type SourceFile,
  type SourceKey,
  type SourceRecord,
  type SourceSchema,
} from '../source/types.js';
import { jsonLines, type Line } from './lines.js';
import { linkRecord } from './links.js';
import { schemaContent } from './schemas.js';
import { tokenOf } from './tokens.js';

/**
 * The stage that a member of an archive belongs to (rules K.2); only Mangrove writes the stage `mangrove`.
 */
const stageOf = (path: string): string => path.slice(0, Math.max(0, path.indexOf('/')));

const LINE_STAGES = ['schemas', 'entities', 'links', 'configuration', 'mangrove'];
const STAGES = [...LINE_STAGES, 'assets'];

/**
 * The members of an archive, even if it was packed with an enclosing folder.
 * @throws ImportError at the end if none belongs to an export
 */
async function* knownMembers(path: string, all: AsyncIterable<Member>): AsyncGenerator<Member> {
  let known = 0;
  for await (const member of all) {
    const [first = '', second = ''] = member.path.split('/');
    const isWithin = !STAGES.includes(first) && STAGES.includes(second);
    const found = isWithin ? { ...member, path: member.path.slice(first.length + 1) } : member;
    if (STAGES.includes(stageOf(found.path))) known += 1;
    yield found;
  }
  if (known === 0)
    throw new ImportError(
      `${path} does not contain an export of Strapi: none of the folders ${LINE_STAGES.slice(0, 4).join(', ')}, assets`,
    );
}

const isLines = ({ path }: Member, stage: string): boolean =>
  stageOf(path) === stage && path.endsWith('.jsonl');

/** Validates a line of a stage; a string says what is wrong. */
const LINES: Readonly<Record<string, (line: Record<string, unknown>) => string | null>> = {
  entities({ type, id, data }) {
    if (typeof type !== 'string') return 'has no type';
    if (typeof id !== 'number' && typeof id !== 'string') return 'has no id';
    if (!isObject(data)) return 'has no data';
    return type === LOCALE_UID && typeof data['code'] !== 'string' ? 'is a locale without a code' : null;
  },
  configuration: ({ value }) => (isObject(value) ? null : 'has no value'),
};

/** The lines of a member, or what is wrong with a line. */
async function* linesOf({ path, bytes }: Member): AsyncGenerator<Line> {
  let number = 0;
  for await (const line of jsonLines(bytes)) {
    number = 'damaged' in line ? line.number : number + 1;
    const wrong = 'damaged' in line ? null : (LINES[stageOf(path)]?.(line.value) ?? null);
    yield wrong === null ? line : { damaged: wrong, number };
  }
}

/** The valid lines only. */
async function* sound(member: Member): AsyncGenerator<Record<string, unknown>> {
  for await (const line of linesOf(member)) if ('value' in line) yield line.value;
}

const damagedRecord = (path: string, line: Line): SourceRecord[] =>
  'damaged' in line ? [noted(lost('line', `${path}, line ${line.number}`, line.damaged))] : [];

/**
 * Opens an archive of `strapi export` (versions 4 and 5) or `mangrove export`, or its unpacked folder. Rows
 * without a `documentId` are of version 4, where one row represents both versions of a locale, and links
 * between `localizations` connect the rows of a document.
 * @throws ImportError if there is none, or the key is wrong
 */
export async function openArchiveSource(
  path: string,
  key: string | null,
  kept?: Spooled,
): Promise<ImportSource> {
  const archive = await openArchive(path, key);
  let done: number | null = null;
  const read = () =>
    knownMembers(
      path,
      members(archive, (bytes) => (done = archive.size > 0 ? bytes / archive.size : null)),
    );
  return {
    name: kept ? 'standard input' : basename(path),
    fingerprint: kept?.digest ?? (await fingerprintOf(archive)),
    keptUnder: '_strapi',
    schemas: () => readSchemas(readably(read())),
    records: () => readably(readRecords(read())),
    entries: () => readably(readEntries(read())),
    files: () => readFiles(read()),
    documentIdOf: ({ uid, ref }: SourceKey) => derivedId(uid, ref),
    progress: () => done,
    close: async () => kept?.remove(),
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

/** The schemas are consecutive, and first in most archives, so the rest need not be read. */
async function readSchemas(all: AsyncIterable<Member>): Promise<readonly SourceSchema[]> {
  const schemas: SourceSchema[] = [];
  for await (const member of all) {
    if (!isLines(member, 'schemas')) {
      if (schemas.length > 0) break;
      continue;
    }
    for await (const line of sound(member)) schemas.push(...schemaContent(line));
  }
  return schemas;
}

async function* readRecords(all: AsyncIterable<Member>): AsyncGenerator<SourceRecord> {
  // There are few permissions and links to them, and either may come first.
  const actions = new Map<string, string>();
  const roleOf = new Map<string, string>();
  const read = function* (stage: string, line: Record<string, unknown>): Generator<SourceRecord> {
    if (stage === 'entities') {
      const uid = String(line['type']);
      const data = objectAt(line, 'data');
      if (uid === PERMISSION_UID) actions.set(String(line['id']), String(data['action']));
      else if (uid === LOCALE_UID) yield { kind: 'locale', locale: localeOf(line['id'], data) };
      else yield { kind: 'entry', entry: entryOf(line) };
    } else if (stage === 'links') {
      const { left, right } = line;
      if (isObject(left) && isObject(right) && left['type'] === PERMISSION_UID) {
        if (left['field'] === 'role') roleOf.set(String(left['ref']), String(right['ref']));
      } else yield* linkRecord(line);
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

async function* readEntries(all: AsyncIterable<Member>): AsyncGenerator<SourceEntry> {
  for await (const member of all)
    if (isLines(member, 'entities'))
      for await (const line of sound(member))
        if (line['type'] !== PERMISSION_UID && line['type'] !== LOCALE_UID) yield entryOf(line);
}

async function* readFiles(all: AsyncIterable<Member>): AsyncGenerator<SourceFile> {
  for await (const { path, bytes } of all)
    if (path.startsWith('assets/uploads/')) yield { key: path.slice('assets/uploads/'.length), bytes };
}

/** Reads a line of `entities` (rules K.4). */
function entryOf(line: Record<string, unknown>): SourceEntry {
  const { documentId, locale, createdAt, updatedAt, publishedAt, ...data } = objectAt(line, 'data');
  const ofVersion5 = typeof documentId === 'string';
  const published = publishedAt !== null && publishedAt !== undefined;
  return {
    uid: String(line['type']),
    ref: String(line['id']),
    documentId: ofVersion5 ? documentId : null,
    locale: textOf(locale),
    versions: !published ? 'draft' : ofVersion5 ? 'published' : 'both',
    id: numberOf(line['id']),
    createdAt: textOf(createdAt),
    updatedAt: textOf(updatedAt),
    publishedAt: textOf(publishedAt),
    data,
    ...(isObject(line['mangrove']) && { beside: EJSON.deserialize(line['mangrove']) }),
  };
}

const localeOf = (id: unknown, data: Record<string, unknown>) => ({
  id: numberOf(id),
  documentId: textOf(data['documentId']),
  code: String(data['code']),
  name: textOf(data['name']),
  createdAt: textOf(data['createdAt']),
  updatedAt: textOf(data['updatedAt']),
});

/** Settings of the project in Strapi's core store (rules K.7), with where they belong here. */
const SETTINGS: Readonly<Record<string, string>> = {
  'plugin_users-permissions_advanced':
    'settings of accounts belong in config/plugins: users-permissions.config.advanced',
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
  const place = SETTINGS[key];
  if (place !== undefined) yield noted(lost('setting', key, place));
}
