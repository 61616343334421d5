import type { RawAttribute } from './raw.js';
import type { ScalarType } from './types.js';

/**
 * The stored type behind a custom field of a Strapi plugin (rules D.4). Strapi learns it from the plugin's code; here it is this
 * table and the project's own `customFields` in config/api.
 */
export const CUSTOM_FIELDS: Readonly<Record<string, ScalarType>> = {
  'plugin::color-picker.color': 'string',
  'plugin::ckeditor.CKEditor': 'richtext',
  'plugin::ckeditor5.CKEditor': 'richtext',
  'plugin::multi-select.multi-select': 'json',
};

/** The attribute with the type that is stored; undefined where nobody knows it. */
export function resolveCustomField(
  raw: RawAttribute,
  known: Readonly<Record<string, string>>,
): RawAttribute | undefined {
  if (raw.type !== 'customField') return raw;
  const uid = raw.customField ?? '';
  const type = Object.hasOwn(known, uid) ? known[uid] : undefined;
  return type === undefined ? undefined : { ...raw, type };
}
