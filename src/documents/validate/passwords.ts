import { type ApiError, errors } from '../../errors.js';
import { bcryptHash } from '../../limits/hashing/hash.js';
import type { BuildContext } from '../context.js';
import type { PlannedEntry, WritePlan } from '../plan/write-plan.js';

/**
 * bcrypt, as Strapi uses for `password` attributes, so that a project's own code can compare them. Accounts
 * use scrypt instead, which is harder to brute-force (`access/accounts/password.ts`); it also accepts bcrypt
 * hashes of imported accounts.
 */
const DEFAULT_ROUNDS = 10;

/** A password in a body. */
interface Plain {
  readonly values: PlannedEntry['values'];
  readonly name: string;
  readonly text: string;
  readonly rounds: number;
}

/** The passwords of a plan, also in component items; inherited ones are hashed already. */
function* passwordsOf({ entries, inheritedNames }: WritePlan): Generator<Plain> {
  for (const { model, path, values } of entries)
    for (const attribute of model.attributes.values()) {
      const { name } = attribute;
      const text = values[name];
      if (attribute.kind !== 'scalar' || attribute.type !== 'password' || typeof text !== 'string') continue;
      if (inheritedNames.has(path[0] ?? name)) continue;
      yield { values, name, text, rounds: attribute.rounds ?? DEFAULT_ROUNDS };
    }
}

const tooMany = (limit: number): ApiError =>
  errors.validation('too-many-passwords', `The body has more than ${limit} passwords`, {
    setting: 'server.maxPasswords',
    limit,
    source: 'body',
  });

/**
 * Replaces the passwords of a validated plan with their hashes. Each waits for its turn, and a request that
 * is aborted hashes no further one. Throws a 400 if a request has too many.
 */
export async function hashPasswords({ config, budget }: BuildContext, plan: WritePlan): Promise<void> {
  const passwords = [...passwordsOf(plan)];
  const { maxPasswords } = config.server;
  if (budget && passwords.length > maxPasswords) throw tooMany(maxPasswords);
  for (const { values, name, text, rounds } of passwords)
    values[name] = await bcryptHash(text, rounds, budget);
}
