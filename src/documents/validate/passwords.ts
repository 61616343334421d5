import type { WritePlan } from '../plan/write-plan.js';

/**
 * bcrypt, as Strapi stores `password` attributes, so that a project's own code may compare them. Accounts are hashed by
 * `access/accounts/password.ts` with scrypt, which holds off a guesser longer and takes bcrypt hashes of imported accounts as well.
 */
const DEFAULT_ROUNDS = 10;

/** Replaces the passwords of a checked plan by their hashes, those in component items too; inherited ones are hashes already. */
export async function hashPasswords({ entries, inheritedNames }: WritePlan): Promise<void> {
  for (const { model, path, values } of entries)
    for (const attribute of model.attributes.values()) {
      const value = values[attribute.name];
      if (attribute.kind !== 'scalar' || attribute.type !== 'password' || typeof value !== 'string') continue;
      if (inheritedNames.has(path[0] ?? attribute.name)) continue;
      const { hash } = await import('bcryptjs');
      values[attribute.name] = await hash(value, attribute.rounds ?? DEFAULT_ROUNDS);
    }
}
