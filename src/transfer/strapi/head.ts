import { text } from 'node:stream/consumers';
import { parseJson } from '../../values/json.js';
import { objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import type { ArchiveMember } from '../archive/members.js';
import { isLines, METADATA, sound } from './members.js';

/** The form of the rows: Strapi 4 has one for both versions of an entry, Strapi 5 one for each. */
export type StrapiVersion = 4 | 5;

/** What must be known of an archive before its rows are read. */
export interface Head {
  readonly version: StrapiVersion;
  /** The lines of `schemas`. */
  readonly schemas: readonly PlainObject[];
}

/**
 * Reads the schemas and decides the version of Strapi, once for the whole archive: from `metadata.json`, the
 * built-in types among the schemas, or else all rows.
 * @param read yields the members from the beginning
 */
export async function readHead(read: () => AsyncIterable<ArchiveMember>): Promise<Head> {
  const schemas: PlainObject[] = [];
  let named: StrapiVersion | null = null;
  for await (const member of read()) {
    if (isLines(member, 'schemas')) for await (const line of sound(member)) schemas.push(line);
    else if (member.path === METADATA) named = versionNamed(await text(member.bytes));
    // The schemas come first in most archives, so the rest need not be read.
    else if (schemas.length > 0 && (named ?? versionShown(schemas)) !== null) break;
  }
  return { schemas, version: named ?? versionShown(schemas) ?? (await versionOfRows(read())) };
}

/** The version in `metadata.json`. */
function versionNamed(metadata: string): StrapiVersion | null {
  const version = textOf(objectAt(parseJson(metadata)?.value, 'strapi')['version']);
  const major = /^\d+/.exec(version ?? '')?.[0];
  return major === undefined ? null : Number(major) < 5 ? 4 : 5;
}

const BUILT_IN = /^plugin::(?:upload|users-permissions)\./;

/** Strapi 5 adds `publishedAt` to every type; Strapi 4 only to those with drafts, not to built-in types. */
function versionShown(schemas: readonly PlainObject[]): StrapiVersion | null {
  const builtIn = schemas.filter(({ uid }) => BUILT_IN.test(String(uid)));
  if (builtIn.length === 0) return null;
  return builtIn.every((line) => Object.hasOwn(objectAt(line, 'attributes'), 'publishedAt')) ? 5 : 4;
}

/** In Strapi 5, every row has a `documentId`. */
async function versionOfRows(all: AsyncIterable<ArchiveMember>): Promise<StrapiVersion> {
  for await (const member of all)
    if (isLines(member, 'entities'))
      for await (const line of sound(member))
        if (typeof objectAt(line, 'data')['documentId'] !== 'string') return 4;
  return 5;
}
