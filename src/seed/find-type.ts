import type { ContentType, Schema } from '../schema/types.js';
import { SeedError } from './error.js';

/** `01-articles` becomes `articles`. */
const withoutOrder = (name: string): string => name.replace(/^\d+[-_. ]+/, '');

/** The content type with this name, as used for files, members and options. @throws SeedError */
export function findType(schema: Schema, given: string): ContentType {
  const name = withoutOrder(given);
  const own = [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api');
  const found = own.filter((type) =>
    [type.uid, type.singularName, type.pluralName, type.collectionName].includes(name),
  );
  const [type] = found;
  if (!type)
    throw new SeedError(
      `no content type is called ${name}; the types are ${own.map((one) => one.pluralName).join(', ')}`,
    );
  if (found.length > 1) throw new SeedError(`${name} may be ${found.map(({ uid }) => uid).join(' or ')}`);
  if (type.storage) throw new SeedError(`${type.uid} is in a collection of another program`);
  return type;
}

/**
 * The attribute that identifies the documents of a type: the configured one, or its `uid`, or its first
 * unique attribute.
 */
export function keyAttributeOf(
  type: ContentType,
  keys: Readonly<Record<string, string>> = {},
): string | null {
  const own = [type.uid, type.singularName, type.pluralName].flatMap((name) => keys[name] ?? []);
  const [given = keys['*']] = own;
  if (given !== undefined && (own.length > 0 || type.attributes.has(given))) {
    if (type.attributes.get(given)?.kind === 'scalar') return given;
    throw new SeedError(`${type.uid} has no attribute ${given} to identify its documents`);
  }
  const scalars = [...type.attributes.values()].flatMap((one) =>
    one.kind === 'scalar' && !one.system ? [one] : [],
  );
  const found = scalars.find((one) => one.type === 'uid') ?? scalars.find((one) => one.unique);
  return found?.name ?? null;
}
