import type { ScalarType } from '../types.js';
import type { ContentTypeSource, ModelSource, RawAttribute, RawComponent, RawContentType } from './raw.js';
import type { SchemaFile } from './read.js';

/**
 * The stored types of custom fields. Strapi gets them from the plugins' code; here they come from this table
 * and the project's `customFields` in config/api.
 */
export const CUSTOM_FIELDS: CustomFields = {
  'plugin::color-picker.color': 'string',
  'plugin::ckeditor.CKEditor': 'richtext',
  'plugin::ckeditor5.CKEditor': 'richtext',
  'plugin::multi-select.multi-select': 'json',
};

/** Stored types by the uid of the custom field. */
export type CustomFields = Readonly<Record<string, ScalarType>>;

type Attributes = Readonly<Record<string, RawAttribute>>;
/** An attribute as in the file. Its type may be that of a custom field. */
type FileAttribute =
  | RawAttribute
  | (Omit<RawAttribute, 'type'> & { type: 'customField'; customField: string });

/**
 * Converts a valid file to a source; custom fields get their stored type, unknown ones JSON.
 * @param extended the built-in type that an extension belongs to
 * @returns null for an extension of an unknown type
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
      return extended?.model === 'contentType' ? extendSource(extended, { ...raw, attributes }, file) : null;
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
 * Adds the attributes of an extension file to a built-in type. An existing attribute keeps its type, a
 * relation also its target, and stays private if it was. `privateAttributes` apply as in other types.
 */
function extendSource(
  source: ContentTypeSource,
  { attributes: added, options }: Pick<RawContentType, 'attributes' | 'options'>,
  file: string,
): ModelSource {
  const attributes: Record<string, RawAttribute> = { ...source.raw.attributes };
  for (const [name, raw] of Object.entries(added)) {
    const was = attributes[name];
    const changes = was?.type === 'relation' ? {} : raw;
    attributes[name] = was
      ? { ...was, ...changes, type: was.type, private: was.private || raw.private || false }
      : raw;
  }
  const privateAttributes = [
    ...(source.raw.options?.privateAttributes ?? []),
    ...(options?.privateAttributes ?? []),
  ];
  return {
    ...source,
    file,
    raw: { ...source.raw, attributes, options: { ...source.raw.options, privateAttributes } },
  };
}
