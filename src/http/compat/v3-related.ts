import { type Viewer, visibleAttributes } from '../../query/attributes.js';
import type { ContentType } from '../../schema/types.js';
import { addTo } from '../../values/group.js';
import { textOf } from '../../values/plain-object.js';
import type { EntryKey } from './items.js';
import { Lookup } from './lookup.js';
import type { Stored } from './stored.js';
import { strapi3FieldsOf } from './v3-stored.js';

/** An entry that has a file. */
interface FileUse extends EntryKey {
  readonly uid: string;
  /** Whether the entry has the version key that Strapi 3 gives to what it makes. */
  readonly hasVersionKey: boolean;
}

/** The entries that have a file, by its documentId; an entry that has it twice is listed twice. */
export type UsesOf = (file: string) => readonly FileUse[];

interface Reader {
  readonly stored: Stored;
  readonly viewer: Viewer;
  /** Whether the caller may read drafts. */
  readonly drafts: boolean;
  /** Whether the caller may read entries of this type. */
  allows(uid: string): boolean;
}

/** The most entries of a type that are read for the files of an answer. */
const MOST = 1000;

/** The entries with files, by the documentId of the file. As in Strapi 3, files in components are not counted. */
export const fileUses = (reader: Reader): Lookup<string, readonly FileUse[]> =>
  new Lookup(async (_, files) => {
    const uses = new Map<string, FileUse[]>();
    const types = [...reader.stored.schema.contentTypes.values()];
    await Promise.all(types.map((type) => addUses(reader, type, files, uses)));
    return uses;
  });

async function addUses(
  { stored, viewer, drafts, allows }: Reader,
  type: ContentType,
  files: readonly string[],
  uses: Map<string, FileUse[]>,
): Promise<void> {
  const { uid, storage } = type;
  const names = visibleAttributes(type, viewer).flatMap(({ kind, name }) => (kind === 'media' ? [name] : []));
  if (names.length === 0 || storage || !allows(uid)) return;
  const status = drafts && type.draftAndPublish ? 'draft' : 'published';
  const where = { $or: names.map((name) => ({ [name]: { $in: files } })) };
  const fields = ['id', 'documentId', 'locale', '_strapi3.__v', ...names];
  for (const entry of await stored.entries(type, status, where, { fields, limit: MOST })) {
    const use: FileUse = {
      uid,
      documentId: String(entry['documentId']),
      locale: type.localized ? textOf(entry['locale']) : null,
      hasVersionKey: strapi3FieldsOf(entry)['__v'] !== undefined,
    };
    for (const file of names.flatMap((name) => entry[name] ?? [])) addTo(uses, String(file), use);
  }
}
