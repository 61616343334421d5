/**
 * Filters and sort are checked alike: one walk lists every key that the caller named, with the attribute behind it; then each
 * rule goes over the whole list, in Strapi's order. So of two wrong keys the one with the earlier rule is reported.
 */
import type { Attribute } from '../../schema/types.js';
import type { Hidden } from '../attributes.js';
import { type CheckContext, invalidKey } from './check-context.js';

/** One key of a query at its place. */
export interface KeyUse {
  readonly key: string;
  /** Dotted attributes: including the key where it is one, else up to its parent; null at the root. */
  readonly path: string | null;
  readonly attribute: Attribute | null;
  /** Why the attribute is not the caller's. */
  readonly hidden?: Hidden | null;
  readonly operator?: boolean;
  /** Nothing stands below it. */
  readonly bare?: boolean;
}

type KeyRule = (use: KeyUse) => boolean;

/** Each says whether a key is refused. */
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

/** Throws `Invalid key …` for the first use that a rule refuses. */
export function checkKeyUses(uses: readonly KeyUse[], context: CheckContext): void {
  for (const name of order[context.settings.mode]) {
    const refused = uses.find((use) => rules[name](use));
    if (refused) throw invalidKey(context, refused.key, refused.path);
  }
}
