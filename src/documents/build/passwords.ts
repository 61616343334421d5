import { hash } from 'bcryptjs';
import type { Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import { itemsAt } from './copy.js';

const ROUNDS = 10;

/** Replaces the passwords of checked data by their hashes, components included. */
export async function hashPasswords(schema: Schema, model: Model, data: Entry): Promise<void> {
  for (const attribute of model.attributes.values()) {
    const value = data[attribute.name];
    if (attribute.kind !== 'scalar' || attribute.type !== 'password' || typeof value !== 'string') continue;
    data[attribute.name] = await hash(value, ROUNDS);
  }
  for (const { item, model: inner } of itemsAt(schema, model, data)) await hashPasswords(schema, inner, item);
}
