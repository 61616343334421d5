import { errors, type FieldError } from '../../errors.js';
import { contentTypeOf } from '../../schema/find.js';
import { takesFile } from '../../schema/media-kind.js';
import type { MediaAttribute } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentsContext } from '../context.js';
import { fieldName } from '../validate/field-errors.js';

/** Number of kinds there are: an attribute that takes them all needs no look at its files. */
const ALL_KINDS = 4;

/** The files of one media attribute after a write. */
export interface ShownFiles {
  readonly attribute: MediaAttribute;
  readonly path: readonly string[];
  readonly documentIds: readonly string[];
}

/** Throws a 400 for a file of a kind that its attribute does not allow (rules 0.4 row 16). */
export async function checkAllowedFiles(
  { schema, read }: DocumentsContext,
  all: readonly ShownFiles[],
): Promise<void> {
  const shown = all.filter(
    ({ attribute, documentIds }) => documentIds.length > 0 && attribute.allowedTypes.length < ALL_KINDS,
  );
  const type = contentTypeOf(schema, FILE_UID);
  if (shown.length === 0 || !type) return;
  const documentId = { $in: [...new Set(shown.flatMap(({ documentIds }) => documentIds))] };
  const files = await read(collectionName(type, 'published'), { documentId }, ['documentId', 'mime']);
  const mimes = new Map(files.map((file) => [file['documentId'], String(file['mime'])]));
  const list = shown.flatMap(({ attribute, path, documentIds }): FieldError[] => {
    const wrong = documentIds
      .map((id) => mimes.get(id))
      .filter((mime) => mime !== undefined && !takesFile(attribute, mime));
    if (wrong.length === 0) return [];
    const message = `${fieldName(path)} must be one of the following types: ${attribute.allowedTypes.join(', ')}`;
    return [{ path, message, name: 'ValidationError', value: wrong[0] }];
  });
  if (list.length > 0) throw errors.fields(list);
}
