import type { Documents } from '../documents/types.js';
import { permittedData } from '../documents/validate/permitted-data.js';
import { errors } from '../errors.js';
import type { Caller } from '../query/read-plan.js';
import { takesFile } from '../schema/media-kind.js';
import type { ContentType, MediaAttribute, Schema } from '../schema/types.js';
import { numericId } from '../values/plain-object.js';
import type { FileEntry } from './types.js';

/** The entry and attribute that uploaded files are linked to (`ref`, `refId`, `field`). */
export interface LinkTarget {
  readonly type: ContentType;
  readonly attribute: MediaAttribute;
  /** Numeric id of one version. */
  readonly id: number;
}

/** Null if the form names none. Throws a 400 if the named one does not exist. */
export const readLinkTarget = (
  schema: Schema,
  fields: ReadonlyMap<string, readonly string[]>,
): LinkTarget | null => {
  const [ref, refId, field] = ['ref', 'refId', 'field'].map((name) => fields.get(name)?.[0]);
  if (ref === undefined && refId === undefined && field === undefined) return null;
  const type = schema.contentTypes.get(ref ?? '');
  if (type?.origin !== 'api')
    throw errors.validation('upload-ref-invalid', 'ref must be the uid of a content type');
  const attribute = type.attributes.get(field ?? '');
  if (attribute?.kind !== 'media')
    throw errors.validation(
      'upload-field-invalid',
      `field must be the name of a media attribute of ${type.uid}`,
    );
  const id = numericId(refId);
  if (id === null)
    throw errors.validation('upload-ref-id-invalid', 'refId must be the numeric id of an entry');
  return { type, attribute, id };
};

const updateOf = ({ uid }: ContentType): string => `${uid}.update`;

/**
 * Linking requires the grant to update the entry, and of its rules one that lets the attribute be written. Rules
 * about which entries are not kept here, so with one nothing is linked. Throws a 403.
 */
export const checkLinkRight = ({ type, attribute }: LinkTarget, caller: Caller): void => {
  if (caller.grants?.allows(updateOf(type)) === false) throw errors.forbidden();
  const { rules } = permittedData({ [attribute.name]: null }, updateOf(type), caller);
  const hasWhere = rules?.some(({ where }) => where !== null) === true;
  if (hasWhere || caller.grants?.reads?.has(type.uid)) throw errors.ruleRefused(attribute.name);
};

const checkKinds = (attribute: MediaAttribute, files: readonly FileEntry[]): void => {
  for (const { name, mime } of files)
    if (!takesFile(attribute, mime))
      throw errors.validation(
        'file-type-not-in-attribute',
        `${attribute.name} does not allow files such as ${name}, only ${attribute.allowedTypes.join(', ')}`,
      );
};

/**
 * Adds files to a media attribute: appended to a list, or replacing a single file. The id of a published
 * version publishes the change, that of a draft does not. Throws a 400 if the attribute does not allow a
 * file, or if the entry does not exist.
 */
export const linkFiles = async (
  documents: Documents,
  { type, attribute, id }: LinkTarget,
  files: readonly FileEntry[],
  caller: Caller,
): Promise<void> => {
  checkKinds(attribute, files);
  const service = documents(type.uid);
  const named = files.map(({ documentId }) => documentId);
  const linked = { [attribute.name]: attribute.many ? { connect: named } : named[0] };
  const { data } = permittedData(linked, updateOf(type), caller);
  for (const status of ['draft', 'published'] as const) {
    const entry = await service.findFirst({ filters: { id }, status, locale: '*' });
    if (entry === null) continue;
    const { documentId, locale } = entry;
    await service.update({ documentId: String(documentId), locale: locale ?? undefined, status, data });
    return;
  }
  throw errors.validation('upload-entry-missing', `${type.uid} has no entry with the id ${id}`);
};
