import type { SchemaFile } from './files.js';
import { optionsOf } from './meta-attribute.js';
import { snakeCase } from './names.js';
import type { RawAttribute } from './raw.js';
import { soften } from './soften.js';

/** Names that Strapi's content-type builder refuses though its server takes them (rules D.6). */
const AVOIDED_ATTRIBUTES = /^(created_by_id|updated_by_id|entry_id|meta|status|_*strapi.*)$/;
const AVOIDED_MODELS = /^(boolean|date|date_time|time|upload|document|then|_*strapi.*)$/;

/** Options of Strapi's admin and its plugins, without meaning here. */
const SILENT = new Set(['options', 'unstable_virtual', 'displayName']);

/** What is odd in files of the right shape though it can be served: most of it is a misspelt option. One sentence each. */
export const adviseFiles = (
  files: readonly SchemaFile[],
  customFields: Readonly<Record<string, string>> = {},
): readonly string[] => [
  ...soften(files, customFields).warnings,
  ...files.flatMap((file) => {
    const { attributes = {} } = file.content as { attributes?: Readonly<Record<string, RawAttribute>> };
    return [
      ...(file.kind === 'contentType' && AVOIDED_MODELS.test(snakeCase(file.name))
        ? [`${file.file}: Strapi's editor refuses the name "${file.name}"`]
        : []),
      ...Object.entries(attributes).flatMap(([name, raw]) =>
        adviseAttribute(name, raw).map((text) => `${file.file} › attributes.${name}: ${text}`),
      ),
    ];
  }),
];

function adviseAttribute(name: string, raw: RawAttribute): readonly string[] {
  const known = new Set(optionsOf(raw.type));
  const unknown = Object.keys(raw).filter((option) => !known.has(option) && !SILENT.has(option));
  return [
    ...(AVOIDED_ATTRIBUTES.test(snakeCase(name)) ? [`Strapi's editor refuses this name`] : []),
    ...unknown.map((option) => `"${option}" is not an option of type ${raw.type}`),
  ];
}
