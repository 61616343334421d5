import type { AppEvent } from '../../events/events.js';
import { didYouMean } from '../../values/nearest.js';
import { objectAt, type PlainObject, textOf } from '../../values/plain-object.js';
import { snakeCase } from '../names.js';
import { canBeUnique } from '../scalars/index.js';
import { extendsNothing } from './builtin.js';
import { optionsOf } from './meta-attribute.js';
import type { SchemaFile } from './read.js';
import { CUSTOM_FIELDS, type CustomFields } from './source.js';

/** Names that Strapi's content-type builder refuses although its server accepts them. */
const AVOIDED_ATTRIBUTES = /^(created_by_id|updated_by_id|entry_id|meta|status|_*strapi.*)$/;
const AVOIDED_MODELS = /^(boolean|date|date_time|time|upload|document|then|_*strapi.*)$/;

/** Options of Strapi's admin panel and plugins that have no effect here. */
const SILENT = new Set(['options', 'unstable_virtual', 'displayName']);

/** The keys of a file besides its attributes. `pluginOptions` may have any content. */
const KEYS: Readonly<Record<'file' | 'info' | 'options', ReadonlySet<string>>> = {
  file: new Set([
    ...['kind', 'collectionName', 'info', 'options', 'pluginOptions', 'attributes', 'indexes', 'foreignKeys'],
    ...['uid', 'apiName', 'modelName', 'modelType', 'globalId', 'category', 'plugin', 'config', 'actions'],
    ...['lifecycles', 'reservedNames', '$schema', '__schema__', '__filename__'],
  ]),
  info: new Set(['singularName', 'pluralName', 'displayName', 'name', 'description', 'icon', 'mainField']),
  options: new Set([
    ...['draftAndPublish', 'populateCreatorFields', 'privateAttributes', 'shard', 'history', 'comment'],
    ...['reviewWorkflows', 'increments', 'timestamps', 'autoMigration', 'version'],
  ]),
};

/**
 * Warnings about files that can be served but are probably wrong, mostly misspelt options. The files may also
 * have errors.
 */
export const lintFiles = (
  files: readonly SchemaFile[],
  customFields: CustomFields = {},
): readonly AppEvent[] => {
  const known = { ...CUSTOM_FIELDS, ...customFields };
  return files.flatMap((file): readonly AppEvent[] => {
    if (extendsNothing(file)) return [{ name: 'type-left-out', file: file.file, uid: file.uid }];
    const content = objectAt(file.content);
    return [
      ...(file.kind === 'contentType' && AVOIDED_MODELS.test(snakeCase(file.name))
        ? [{ name: 'type-name-refused' as const, file: file.file, uid: file.name }]
        : []),
      ...unknownKeys(file.file, content),
      ...Object.entries(objectAt(content['attributes'])).flatMap(([name, raw]) =>
        lintAttribute({ file: file.file, attribute: name }, objectAt(raw), known),
      ),
    ];
  });
};

const unknownKeys = (file: string, content: PlainObject): readonly AppEvent[] =>
  (
    [
      ['file', '', content],
      ['info', 'info', objectAt(content['info'])],
      ['options', 'options', objectAt(content['options'])],
    ] as const
  ).flatMap(([place, key, members]) =>
    Object.keys(members)
      .filter((option) => !KEYS[place].has(option))
      .map(
        (option): AppEvent => ({
          name: 'schema-key-unknown',
          file,
          key,
          option,
          guess: didYouMean(option, KEYS[place]),
        }),
      ),
  );

function lintAttribute(
  { file, attribute }: { readonly file: string; readonly attribute: string },
  raw: PlainObject,
  customFields: CustomFields,
): readonly AppEvent[] {
  const type = String(raw['type']);
  const field = type === 'customField' ? textOf(raw['customField']) : null;
  const known = new Set(optionsOf(type));
  const unknown =
    known.size === 0 ? [] : Object.keys(raw).filter((option) => !known.has(option) && !SILENT.has(option));
  return [
    ...(field !== null && !Object.hasOwn(customFields, field)
      ? [{ name: 'custom-field-unknown' as const, file, attribute, uid: field }]
      : []),
    ...(AVOIDED_ATTRIBUTES.test(snakeCase(attribute))
      ? [{ name: 'attribute-name-refused' as const, file, attribute }]
      : []),
    ...(raw['unique'] === true && known.has('unique') && !canBeUnique(type)
      ? [{ name: 'attribute-not-unique' as const, file, attribute, type }]
      : []),
    ...unknown.map(
      (option): AppEvent => ({
        name: 'attribute-option-unknown',
        file,
        attribute,
        option,
        type,
        guess: didYouMean(option, known),
      }),
    ),
  ];
}
