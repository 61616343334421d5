import type { ContentType } from '../../schema/types.js';

/**
 * The public fields of a stored row of a built-in type, for routes that answer with a row they have just
 * written. An allow-list: scalars that are neither private nor passwords, in the order of the schema.
 */
export const showFields = (type: ContentType, row: object): Record<string, unknown> => {
  const values: Readonly<Record<string, unknown>> = { ...row };
  const shown: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || attribute.private || attribute.type === 'password') continue;
    shown[attribute.name] = values[attribute.name] ?? null;
  }
  return shown;
};
