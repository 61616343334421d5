import { errors, type FieldError } from '../../errors.js';
import { contentTypeOf } from '../../schema/find.js';
import { takesFile } from '../../schema/media-kind.js';
import type { MediaAttribute, Model, Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/changes.js';
import { collectionName } from '../../store/collections.js';
import type { DocumentsContext } from '../context.js';
import { itemModel } from '../plan/collect.js';
import { fieldName } from '../validate/field-errors.js';

/** Number of kinds there are: an attribute that takes them all needs no look at its files. */
const ALL_KINDS = 4;

interface Shown {
  readonly attribute: MediaAttribute;
  readonly path: readonly string[];
  readonly documentIds: readonly string[];
}

/** The files of attributes that do not take every kind, at any depth of components. */
function collectShown(
  schema: Schema,
  model: Model,
  entry: Entry,
  named: (attribute: string) => boolean,
  path: readonly string[] = [],
): Shown[] {
  return [...model.attributes.values()]
    .filter(({ name }) => named(name))
    .flatMap((attribute): Shown[] => {
      const value = entry[attribute.name];
      const here = [...path, attribute.name];
      if (attribute.kind === 'media' && attribute.allowedTypes.length < ALL_KINDS) {
        const documentIds = [value].flat().filter((id): id is string => typeof id === 'string');
        return documentIds.length > 0 ? [{ attribute, path: here, documentIds }] : [];
      }
      if (attribute.kind !== 'component' && attribute.kind !== 'zone') return [];
      const uid = attribute.kind === 'component' ? attribute.component : null;
      return [value].flat().flatMap((item, index) => {
        const inner = itemModel(schema, uid, item);
        const at = Array.isArray(value) ? [...here, String(index)] : here;
        return inner ? collectShown(schema, inner, item as Entry, () => true, at) : [];
      });
    });
}

/**
 * Throws a 400 for a file of a kind that its attribute does not allow (rules 0.4 row 16): in the attributes that a write names, in
 * the entry as it will be.
 */
export async function checkAllowedFiles(
  context: DocumentsContext,
  model: Model,
  entry: Entry,
  named: (attribute: string) => boolean,
): Promise<void> {
  const shown = collectShown(context.schema, model, entry, named);
  const type = contentTypeOf(context.schema, FILE_UID);
  if (shown.length === 0 || !type) return;
  const documentId = { $in: [...new Set(shown.flatMap(({ documentIds }) => documentIds))] };
  const files = await context.read(collectionName(type, 'published'), { documentId }, ['documentId', 'mime']);
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
