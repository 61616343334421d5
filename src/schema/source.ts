import { CUSTOM_FIELDS, resolveCustomField } from './custom-fields.js';
import { type Problem, problemAt } from './error.js';
import type { SchemaFile } from './files.js';
import type { ModelSource, RawAttribute, RawComponent, RawContentType } from './raw.js';

type Attributes = Readonly<Record<string, RawAttribute>>;

/** The content of a file of the right shape, with its place in the folders; custom fields by their stored type. */
export function sourceOf(
  file: SchemaFile,
  customFields: Readonly<Record<string, string>>,
): { source: ModelSource | null; attributes: Attributes; problems: readonly Problem[] } {
  const raw = file.content as RawContentType & RawComponent;
  const { attributes, problems } = storedTypes(file, raw.attributes, customFields);
  const common = { uid: file.uid, file: file.file };
  const source: ModelSource | null =
    file.kind === 'contentType'
      ? {
          ...common,
          model: 'contentType',
          origin: 'api',
          folder: file.name,
          collection: null,
          raw: { ...raw, attributes },
        }
      : file.kind === 'component'
        ? { ...common, model: 'component', raw: { ...raw, attributes } }
        : null;
  return { source, attributes, problems };
}

function storedTypes(
  file: SchemaFile,
  raw: Attributes,
  customFields: Readonly<Record<string, string>>,
): { attributes: Attributes; problems: readonly Problem[] } {
  const known = { ...CUSTOM_FIELDS, ...customFields };
  const pairs = Object.entries(raw).map(
    ([name, one]) => [name, resolveCustomField(one, known), one] as const,
  );
  return {
    attributes: Object.fromEntries(
      pairs.map(([name, resolved, one]) => [name, resolved ?? { ...one, type: 'json' }]),
    ),
    problems: pairs.flatMap(([name, resolved, one]) =>
      resolved
        ? []
        : [
            problemAt(
              file.file,
              `attributes.${name}.customField`,
              `a custom field whose stored type is known; name it in config/api: customFields: { "${one.customField}": "string" }`,
            ),
          ],
    ),
  };
}

/**
 * Gives a built-in type the attributes of its extension file (rules D.1). An attribute that it has already keeps its type and
 * stays private where it was.
 */
export function extendSource(source: ModelSource, added: Attributes, file: string): ModelSource {
  if (source.model !== 'contentType') return source;
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
