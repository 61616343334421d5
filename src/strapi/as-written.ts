import { bcryptHash } from '../limits/bcrypt/bcrypt.js';
import type { ContentType } from '../schema/types.js';
import { isObject } from '../values/plain-object.js';
import type { Values } from './types.js';

/** Data as lifecycles see it, and what is to be written of it. */
interface AsWritten {
  readonly data: Values;
  /** What the data is with the changes that lifecycles made. */
  given(changed: unknown): unknown;
}

const ROUNDS = 10;

/**
 * The data of a call as Strapi's query engine has it when lifecycles run: with its times, and with hashes in place of
 * passwords. What lifecycles leave as it is becomes what the caller gave; null: the call has no data.
 */
export async function asWritten(
  data: unknown,
  type: ContentType,
  lifecycle: string,
): Promise<AsWritten | null> {
  if (!isObject(data) || (lifecycle !== 'Create' && lifecycle !== 'Update')) return null;
  const now = new Date();
  const shown: Values = { updatedAt: now };
  if (lifecycle === 'Create') shown['createdAt'] = data['createdAt'] ?? now;
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || attribute.type !== 'password') continue;
    const plain = data[attribute.name];
    if (typeof plain === 'string')
      shown[attribute.name] = await bcryptHash(plain, attribute.rounds ?? ROUNDS);
  }
  return {
    data: { ...data, ...shown },
    given: (changed) => {
      if (!isObject(changed)) return changed;
      const left: Values = { ...changed };
      for (const [name, value] of Object.entries(shown)) {
        if (left[name] !== value) continue;
        if (name in data) left[name] = data[name];
        else delete left[name];
      }
      return left;
    },
  };
}
