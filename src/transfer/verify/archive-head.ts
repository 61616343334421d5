import { text } from 'node:stream/consumers';
import { FILE_UID, PERMISSION_UID } from '../../schema/uids.js';
import { isObject, numberOf, objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import { jsonLines } from '../archive/lines.js';
import type { Import } from '../run/context.js';
import { parseRowKey } from '../run/rows.js';
import { wantsType } from '../source/selection.js';
import { privateNamesIn } from './access.js';
import { type RawArchive, type RawLink, rawLink, splitStage } from './archive-lines.js';

/** What must be known of an archive before its rows, which may come first. */
export interface ArchiveHead {
  /** Of Strapi; null if only the rows tell. */
  readonly version: 4 | 5 | null;
  /** The attributes of each type and component. */
  readonly schemas: ReadonlyMap<string, PlainObject>;
  /** The names that each of them makes private. */
  readonly hidden: ReadonlyMap<string, readonly string[]>;
  /** Roles by permission. */
  readonly roles: ReadonlyMap<string, string>;
  /** Actions by permission, which come with the rows. */
  readonly permissions: Map<string, string>;
  /** The refs of roles, which come with the rows. */
  readonly roleRows: string[];
  /** The codes of locales, which come with the rows. */
  readonly locales: string[];
  /** The lines of the configuration. */
  readonly lines: readonly PlainObject[];
}

const BATCH = 1000;

/** Reads the schemas and the version, and stages the links. */
export async function readArchiveHead(run: Import, raw: RawArchive): Promise<ArchiveHead> {
  const schemas = new Map<string, PlainObject>();
  const hidden = new Map<string, readonly string[]>();
  const roles = new Map<string, string>();
  const lines: PlainObject[] = [];
  let version = '';
  let number = 0;
  let batch: RawLink[] = [];
  const stage = async (): Promise<void> => {
    await run.staging.add('rawLinks', batch);
    batch = [];
  };
  await run.staging.index('rawLinks', 'holder');
  for await (const { path, bytes } of raw.members()) {
    const [name] = splitStage(path);
    if (name === 'metadata.json') version = versionIn(await text(bytes));
    if (name !== 'schemas' && name !== 'links' && name !== 'configuration') continue;
    for await (const line of jsonLines(bytes)) {
      if (!('value' in line)) continue;
      const { value } = line;
      number += 1;
      if (name === 'configuration') lines.push(value);
      else if (name === 'schemas') {
        schemas.set(String(value['uid']), objectAt(value, 'attributes'));
        hidden.set(String(value['uid']), privateNamesIn(value));
      } else if (!readRole(value, roles)) {
        const link = rawLink(value);
        if (link && isWanted(run, link)) batch.push({ _id: number, ...link });
        if (batch.length >= BATCH) await stage();
      }
    }
  }
  await stage();
  const fromRows = { permissions: new Map<string, string>(), roleRows: [], locales: [] };
  return { version: versionOf(version, schemas), schemas, hidden, roles, lines, ...fromRows };
}

/** The version named in `metadata.json`, or else shown by the files, which only version 5 publishes. */
function versionOf(named: string, schemas: ReadonlyMap<string, PlainObject>): 4 | 5 | null {
  if (named !== '') return named.startsWith('4.') ? 4 : 5;
  const file = schemas.get(FILE_UID);
  return file === undefined ? null : 'publishedAt' in file ? 5 : 4;
}

function versionIn(metadata: string): string {
  try {
    return textOf(objectAt(JSON.parse(metadata), 'strapi')['version']) ?? '';
  } catch {
    return '';
  }
}

/** Whether a line links a permission to its role. */
function readRole({ left, right }: PlainObject, roles: Map<string, string>): boolean {
  if (!isObject(left) || left['type'] !== PERMISSION_UID) return false;
  if (left['field'] === 'role' && isObject(right)) roles.set(String(left['ref']), String(right['ref']));
  return true;
}

/** In version 5, `localizations` link a row to its own documentId. */
function isWanted({ schema, selection }: Import, { holder, field, to }: Omit<RawLink, '_id'>): boolean {
  if (field === 'localizations' && numberOf(parseRowKey(to).ref) === null) return false;
  const { uid } = parseRowKey(holder);
  return schema.contentTypes.has(uid) ? wantsType(selection, uid) : selection.parts.includes('content');
}
