import type { Attribute, RelationKind } from './types.js';

interface RelationRule {
  readonly many: boolean;
  /** Where it stands without `inversedBy` or `mappedBy`: stored on this side. Morph kinds decide alone. */
  readonly owner: 'always' | 'never' | 'unless mapped';
  /** What the attribute on the other side must be, in a two-way relation. */
  readonly inverse: RelationKind | null;
  readonly inComponents: boolean;
}

/** rules D.5, D.3. */
export const RELATION_RULES: Readonly<Record<RelationKind, RelationRule>> = {
  oneToOne: { many: false, owner: 'unless mapped', inverse: 'oneToOne', inComponents: true },
  oneToMany: { many: true, owner: 'unless mapped', inverse: 'manyToOne', inComponents: true },
  manyToOne: { many: false, owner: 'always', inverse: 'oneToMany', inComponents: false },
  manyToMany: { many: true, owner: 'unless mapped', inverse: 'manyToMany', inComponents: false },
  morphToOne: { many: false, owner: 'always', inverse: null, inComponents: false },
  morphToMany: { many: true, owner: 'always', inverse: null, inComponents: false },
  morphOne: { many: false, owner: 'never', inverse: null, inComponents: false },
  morphMany: { many: true, owner: 'never', inverse: null, inComponents: false },
};

/**
 * The `related` of a file: the entries that show it (rules C.7). Stored nowhere, it is the inverse of every media attribute; what
 * a schema file calls `morphToMany` is always stored on its own side.
 */
export const isMediaInverse = (attribute: Attribute): boolean =>
  attribute.kind === 'relation' && attribute.relation === 'morphToMany' && !attribute.owner;

/** The other locales of the same document (rules C.6). */
export const isLocalizations = (attribute: Attribute): boolean =>
  attribute.system && attribute.name === 'localizations';
