import { hash } from 'bcryptjs';
import type { Model, Schema } from '../schema/types.js';
import type { Entry } from '../store/changes.js';
import { itemsAt } from './copy.js';

const ROUNDS = 10;

/**
 * Replaces the passwords of checked data by their hashes, components included. `hashed` are values that came from a stored entry (a
 * copy between locales, a clone): these are hashes already.
 */
export async function hashPasswords(
  schema: Schema,
  model: Model,
  data: Entry,
  hashed: ReadonlySet<string>,
): Promise<void> {
  for (const attribute of model.attributes.values()) {
    const value = data[attribute.name];
    if (attribute.kind !== 'scalar' || attribute.type !== 'password' || typeof value !== 'string') continue;
    if (!hashed.has(value)) data[attribute.name] = await hash(value, ROUNDS);
  }
  for (const { item, model: inner } of itemsAt(schema, model, data))
    await hashPasswords(schema, inner, item, hashed);
}

/** The password hashes that a stored entry holds. */
export function storedHashes(schema: Schema, model: Model, entry: Entry): Set<string> {
  const hashes = new Set<string>();
  for (const attribute of model.attributes.values()) {
    const value = entry[attribute.name];
    if (attribute.kind === 'scalar' && attribute.type === 'password' && typeof value === 'string')
      hashes.add(value);
  }
  for (const { item, model: inner } of itemsAt(schema, model, entry))
    for (const value of storedHashes(schema, inner, item)) hashes.add(value);
  return hashes;
}
