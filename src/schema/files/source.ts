import type { ScalarType } from '../types.js';
import type { ContentTypeSource, ModelSource, RawAttribute, RawComponent, RawContentType } from './raw.js';
import type { SchemaFile } from './read.js';

/**
 * The stored type behind a custom field of a Strapi plugin (rules D.4). Strapi learns it from the plugin's code; here it is this
 * table and the project's own `customFields` in config/api.
 */
export const CUSTOM_FIELDS: CustomFields = {
  'plugin::color-picker.color': 'string',
  'plugin::ckeditor.CKEditor': 'richtext',
  'plugin::ckeditor5.CKEditor': 'richtext',
  'plugin::multi-select.multi-select': 'json',
};

/** Types by the uid of a custom field. */
export type CustomFields = Readonly<Record<string, ScalarType>>;

type Attributes = Readonly<Record<string, RawAttribute>>;
/** As a file has it: its type may be that of a custom field, which `soften` has left only where it is known. */
type FileAttribute =
  | RawAttribute
  | (Omit<RawAttribute, 'type'> & { type: 'customField'; customField: string });

/**
 * The content of a file of the right shape, with its place in the folders; custom fields by their stored type.
 * @param extended the built-in type that an extension belongs to
 * @returns null: an extension of nothing
 */
export function sourceOf(
  { kind, uid, file, name, content }: SchemaFile,
  customFields: CustomFields,
  extended?: ModelSource,
): ModelSource | null {
  const raw = content as (RawContentType & RawComponent) & { attributes: Record<string, FileAttribute> };
  const attributes = storedTypes(raw.attributes, { ...CUSTOM_FIELDS, ...customFields });
  switch (kind) {
    case 'contentType': {
      const place = { origin: 'api', folder: name, collection: null } as const;
      return { uid, file, model: kind, ...place, raw: { ...raw, attributes } };
    }
    case 'component':
      return { uid, file, model: kind, raw: { ...raw, attributes } };
    case 'extension':
      return extended?.model === 'contentType' ? extendSource(extended, attributes, file) : null;
  }
}

const storedTypes = (raw: Readonly<Record<string, FileAttribute>>, known: CustomFields): Attributes =>
  Object.fromEntries(
    Object.entries(raw).map(([name, one]) => [
      name,
      one.type === 'customField' ? { ...one, type: known[one.customField] ?? 'json' } : one,
    ]),
  );

/**
 * Gives a built-in type the attributes of its extension file (rules D.1). An attribute that it has already keeps its type and
 * stays private where it was.
 */
function extendSource(source: ContentTypeSource, added: Attributes, file: string): ModelSource {
  const attributes: Record<string, RawAttribute> = { ...source.raw.attributes };
  for (const [name, raw] of Object.entries(added)) {
    const was = attributes[name];
    if (was?.type === 'relation') continue;
    attributes[name] = was
      ? { ...was, ...raw, type: was.type, private: was.private || raw.private || false }
      : raw;
  }
  return { ...source, file, raw: { ...source.raw, attributes } };
}
