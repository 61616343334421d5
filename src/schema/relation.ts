import type { Attribute, RelationKind } from './types.js';

interface RelationRule {
  readonly many: boolean;
  /** Whether the relation is stored on this side; `unless mapped` depends on `mappedBy`. */
  readonly owner: 'always' | 'never' | 'unless mapped';
  /** The kind of the attribute on the other side, if the relation is bidirectional. */
  readonly inverse: RelationKind | null;
  readonly inComponents: boolean;
}

/**
 * The kinds of relations: whether one holds many, which side stores it, the kind of its other side, and
 * whether components may have it.
 */
export const RELATION_RULES: Readonly<Record<RelationKind, RelationRule>> = {
  oneToOne: { many: false, owner: 'unless mapped', inverse: 'oneToOne', inComponents: true },
  oneToMany: { many: true, owner: 'unless mapped', inverse: 'manyToOne', inComponents: true },
  manyToOne: { many: false, owner: 'always', inverse: 'oneToMany', inComponents: true },
  manyToMany: { many: true, owner: 'unless mapped', inverse: 'manyToMany', inComponents: true },
  morphToOne: { many: false, owner: 'always', inverse: null, inComponents: false },
  morphToMany: { many: true, owner: 'always', inverse: null, inComponents: false },
  morphOne: { many: false, owner: 'never', inverse: null, inComponents: false },
  morphMany: { many: true, owner: 'never', inverse: null, inComponents: false },
};

/**
 * The `related` of a file: the entries that use it. It is not stored, but is the inverse of every media
 * attribute; a `morphToMany` in a schema file is always stored.
 */
export const isMediaInverse = (attribute: Attribute): boolean =>
  attribute.kind === 'relation' && attribute.relation === 'morphToMany' && !attribute.owner;

/** Whether the relation leads to the other locales of the same document. */
export const isLocalizations = (attribute: Attribute): boolean =>
  attribute.system && attribute.name === 'localizations';
