import { isDeepStrictEqual } from 'node:util';
import { defaultOf } from '../documents/plan/plan-write.js';
import { bcryptHash } from '../limits/hashing/hash.js';
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

/** Makes the hash of a password, the same for the same one. */
export type Hash = (plain: string, rounds: number) => Promise<string>;

/** For the rows of one call, which have the same password. */
export function hashing(): Hash {
  const made = new Map<string, Promise<string>>();
  return (plain, rounds) => {
    const key = `${rounds} ${plain}`;
    const hash = made.get(key) ?? bcryptHash(plain, rounds);
    made.set(key, hash);
    return hash;
  };
}

/** Hashes in place of the passwords of data. */
export async function hashedPasswords(data: Values, type: ContentType, hash: Hash): Promise<Values> {
  const hashes: Values = {};
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'scalar' || attribute.type !== 'password') continue;
    const plain = data[attribute.name];
    if (typeof plain === 'string') hashes[attribute.name] = await hash(plain, attribute.rounds ?? ROUNDS);
  }
  return hashes;
}

/** What a new entry has of what its data does not name: Strapi's validation of documents adds it. */
export function defaultsOf(data: Values, { attributes, origin }: ContentType): Values {
  // Accounts and files are written by queries, which have none yet.
  if (origin !== 'api') return {};
  const missing = [...attributes.values()].filter(({ name }) => data[name] === undefined);
  const defaults = missing.map((attribute) => [attribute.name, defaultOf(attribute)] as const);
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined));
}

/**
 * The data of a call as Strapi's query engine has it when lifecycles run: with defaults, times, links to rows, and
 * hashes in place of passwords. What lifecycles leave as it is becomes what the caller gave; null: the call has no data.
 * @param shownAs `links`: see `linkedRows`; `row`: what the version and the locale of the row say, which lifecycles cannot change
 */
export async function asWritten(
  data: unknown,
  type: ContentType,
  lifecycle: string,
  shownAs: {
    readonly links: (data: Values) => Promise<Values>;
    readonly row: Values;
    readonly hash: Hash;
  },
): Promise<AsWritten | null> {
  if (!isObject(data) || (lifecycle !== 'Create' && lifecycle !== 'Update')) return null;
  const { links, row, hash } = shownAs;
  const now = new Date();
  const shown: Values = { ...(await links(data)), updatedAt: now };
  if (lifecycle === 'Create')
    Object.assign(shown, defaultsOf(data, type), { createdAt: data['createdAt'] ?? now });
  Object.assign(shown, await hashedPasswords(data, type, hash));
  // Lifecycles may also change what is in a link.
  const unchanged = structuredClone(shown);
  return {
    data: { ...data, ...shown, ...row },
    given: (changed) => {
      if (!isObject(changed)) return changed;
      const left: Values = { ...changed };
      for (const name of Object.keys(row)) delete left[name];
      for (const [name, value] of Object.entries(unchanged)) {
        if (!isDeepStrictEqual(left[name], value)) continue;
        if (name in data) left[name] = data[name];
        else delete left[name];
      }
      return left;
    },
  };
}
