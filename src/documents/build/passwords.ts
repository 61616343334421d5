import { hash } from 'bcryptjs';
import type { WritePlan } from '../plan/write-plan.js';

const ROUNDS = 10;

/** Replaces the passwords of a checked plan by their hashes, those in component items too; inherited ones are hashes already. */
export async function hashPasswords({ entries, inherited }: WritePlan): Promise<void> {
  for (const { model, path, values } of entries)
    for (const attribute of model.attributes.values()) {
      const value = values[attribute.name];
      if (attribute.kind !== 'scalar' || attribute.type !== 'password' || typeof value !== 'string') continue;
      if (!inherited.has(path[0] ?? attribute.name)) values[attribute.name] = await hash(value, ROUNDS);
    }
}
