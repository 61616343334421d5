/**
 * Adopted collections (decision 006): where their documents store the values of attributes. All code that
 * needs a stored path gets it from `attribute.stored` and `attribute.link`, which are set here.
 */
import type { ModelSource, RawAttribute, RawStorage } from '../files/raw.js';
import { keyPath } from '../stored/paths.js';
import { KEY_FORMS, type LinkPaths, type Storage } from '../types.js';
import { FILE_UID } from '../uids.js';

export const storageOf = ({ raw }: ModelSource): RawStorage | null =>
  raw.pluginOptions?.mangrove?.storage ?? null;

/** The stored path of an attribute. */
export const storedPath = (storage: RawStorage | null, name: string): string =>
  ownValue(storage?.fields, name) ?? name;

export const resolveStorage = (storage: RawStorage): Storage => ({
  database: storage.database ?? null,
  id: KEY_FORMS.find((form) => form === storage.id) ?? 'objectId',
  write: storage.write ?? false,
  timestamps: storage.timestamps ?? false,
  drafts: storage.drafts ?? false,
});

/** Finds the source of a model by uid. */
export type FindSource = (uid: string) => ModelSource | undefined;

/** The paths of a relation or media attribute of `source`. */
export function linkOf(source: ModelSource, name: string, raw: RawAttribute, find: FindSource): LinkPaths {
  const inverse = raw.mappedBy ?? undefined;
  if (inverse !== undefined) {
    const owner = find(raw.target ?? '');
    const other = owner && ownValue(owner.raw.attributes, inverse);
    const { local, foreign, ...rest }: LinkPaths =
      owner && other ? ownLink(owner, inverse, other, find) : { local: inverse, foreign: 'documentId' };
    return { local: foreign, foreign: local, ...rest };
  }
  if (raw.morphBy !== undefined) return { local: 'documentId', foreign: `${raw.morphBy}.documentId` };
  return ownLink(source, name, raw, find);
}

function ownLink(source: ModelSource, name: string, raw: RawAttribute, find: FindSource): LinkPaths {
  const storage = storageOf(source);
  const target = find(raw.type === 'media' ? FILE_UID : (raw.target ?? ''));
  const key = keyPath(target !== undefined && storageOf(target) !== null);
  return {
    local: storedPath(storage, name),
    foreign: ownValue(storage?.references, name) ?? key,
    ...(storage?.texts?.includes(name) && { texts: true }),
  };
}

export const ownValue = <T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
