import { SYSTEM_TYPES } from '../../schema/model/system.js';
import { isObject } from '../../values/plain-object.js';
import type { SourceSchema } from '../source/types.js';

/** Types in an archive that are not content of the project. */
const IGNORED = /^(?:admin|strapi)::|^plugin::(?!users-permissions\.user$|upload\.file$)/;

/** Keys of a line of `schemas` (rules K.3) that also occur in `schema.json`. */
const KEPT = ['kind', 'collectionName', 'info', 'options', 'pluginOptions', 'indexes'] as const;

/** The `schema.json` for one line; none for built-in types. */
export function schemaContent(line: Record<string, unknown>): readonly SourceSchema[] {
  const uid = String(line['uid']);
  if (IGNORED.test(uid) || !isObject(line['attributes'])) return [];
  const modelType = line['modelType'] === 'component' ? 'component' : 'contentType';
  const content = {
    ...Object.fromEntries(
      KEPT.flatMap((key) => (line[key] === undefined || line[key] === null ? [] : [[key, line[key]]])),
    ),
    attributes: Object.fromEntries(
      Object.entries(line['attributes'])
        .filter(([name]) => modelType === 'component' || !Object.hasOwn(SYSTEM_TYPES, name))
        .map(([name, attribute]) => [name, isObject(attribute) ? withoutAutomatic(attribute) : attribute]),
    ),
  };
  return [{ uid, modelType, content }];
}

/** Removes the keys that Strapi adds to an attribute. */
const withoutAutomatic = (attribute: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attribute).filter(
      ([key]) => !['joinColumn', 'joinTable', 'morphColumn', 'unstable_virtual'].includes(key),
    ),
  );
