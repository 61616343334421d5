/**
 * Checks the keys of filters and sort alike: one walk lists every key with its attribute, then each rule goes
 * over the whole list, in Strapi's order. Of two wrong keys, the one that breaks the earlier rule is
 * reported.
 */
import type { Attribute } from '../../schema/types.js';
import type { Hidden } from '../attributes.js';
import { type CheckContext, invalidKey } from './check-context.js';

/** One key of a query and its position. */
export interface KeyUse {
  readonly key: string;
  /**
   * Dotted attribute names, ending with the key itself if it is one, otherwise with its parent; null at the
   * root.
   */
  readonly path: string | null;
  readonly attribute: Attribute | null;
  /** Why the attribute is hidden from the caller. */
  readonly hidden?: Hidden | null;
  readonly operator?: boolean;
  /** The key is the last of its path. */
  readonly bare?: boolean;
}

type KeyRule = (use: KeyUse) => boolean;

/** Each returns true for a key to reject. */
const rules = {
  unknown: ({ attribute, operator }) => attribute === null && operator !== true,
  zone: ({ attribute }) => attribute?.kind === 'zone',
  morph: ({ attribute }) => attribute?.kind === 'relation' && attribute.target === null,
  password: ({ hidden }) => hidden === 'password',
  private: ({ hidden }) => hidden === 'private',
  bare: ({ attribute, bare }) => bare === true && attribute !== null && attribute.kind !== 'scalar',
  forbidden: ({ hidden }) => hidden === 'forbidden',
} satisfies Record<string, KeyRule>;

const order = {
  rest: ['unknown', 'zone', 'morph', 'password', 'private', 'bare', 'forbidden'],
  service: ['unknown', 'zone', 'morph', 'bare'],
} as const;

/** Throws `Invalid key …` for the first key that breaks a rule. */
export function checkKeyUses(uses: readonly KeyUse[], context: CheckContext): void {
  for (const name of order[context.settings.mode]) {
    const refused = uses.find((use) => rules[name](use));
    if (refused) throw invalidKey(context, refused.key, refused.path);
  }
}
