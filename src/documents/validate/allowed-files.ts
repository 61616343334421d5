import { errors, type FieldError, fieldError } from '../../errors.js';
import { takesFile } from '../../schema/media-kind.js';
import { collectionName } from '../../schema/stored/collections.js';
import { MEDIA_KINDS, type MediaAttribute } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { ResolveContext } from '../context.js';
import type { WritePlan } from '../plan/write-plan.js';
import type { Resolved } from '../resolve/targets.js';
import { inSchemaOrder } from './check.js';
import { fieldName } from './field-errors.js';

/** The files that a write adds to one media attribute. */
interface AddedFiles {
  readonly attribute: MediaAttribute;
  readonly path: readonly string[];
  readonly documentIds: readonly string[];
}

const addedBy = ({ entries }: WritePlan, resolved: Resolved): readonly AddedFiles[] =>
  entries.flatMap(({ model, path, links }) =>
    [...links].flatMap(([name, input]): AddedFiles[] => {
      const attribute = model.attributes.get(name);
      if (attribute?.kind !== 'media' || attribute.allowedTypes.length === MEDIA_KINDS.length) return [];
      const added = input.kind === 'set' ? input.links : input.kind === 'change' ? input.connect : [];
      const documentIds = added.flatMap((link) => resolved.documentId(FILE_UID, link) ?? []);
      return documentIds.length === 0 ? [] : [{ attribute, path: [...path, name], documentIds }];
    }),
  );

/** Throws a 400 for an added file of a kind that its attribute does not allow. */
export async function checkAllowedFiles(
  { schema, read }: ResolveContext,
  plan: WritePlan,
  resolved: Resolved,
): Promise<void> {
  const added = addedBy(plan, resolved);
  const type = schema.contentTypes.get(FILE_UID);
  if (added.length === 0 || !type) return;
  const documentId = { $in: [...new Set(added.flatMap(({ documentIds }) => documentIds))] };
  const files = await read(collectionName(type, 'published'), { documentId }, ['documentId', 'mime']);
  const mimes = new Map(files.map((file) => [file['documentId'], String(file['mime'])]));
  const list = added.flatMap(({ attribute, path, documentIds }): FieldError[] => {
    const wrong = documentIds
      .map((id) => mimes.get(id))
      .filter((mime) => mime !== undefined && !takesFile(attribute, mime));
    if (wrong.length === 0) return [];
    const message = `${fieldName(path)} must be one of the following types: ${attribute.allowedTypes.join(', ')}`;
    return [fieldError(path, message, wrong[0])];
  });
  if (list.length > 0) throw errors.fields(inSchemaOrder(list, plan.type));
}
