import type { WritePlan } from '../plan/write-plan.js';

/**
 * bcrypt, as Strapi uses for `password` attributes, so that a project's own code can compare them. Accounts
 * use scrypt instead, which is harder to brute-force (`access/accounts/password.ts`); it also accepts bcrypt
 * hashes of imported accounts.
 */
const DEFAULT_ROUNDS = 10;

/**
 * Replaces the passwords of a validated plan with their hashes, also in component items; inherited ones are
 * hashed already.
 */
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
