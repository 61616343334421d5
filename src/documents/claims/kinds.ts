import type { ContentType, RelationAttribute, ScalarAttribute, Schema } from '../../schema/types.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import { holdsItems, type ItemsAttribute } from '../plan/items.js';

/**
 * One step on the path to a nested attribute: a component or zone attribute, and the component of its items.
 */
export interface ItemStep {
  readonly attribute: ItemsAttribute;
  readonly component: string;
}

/**
 * The kinds of claims of a content type. `name` is part of the claim's `_id` and depends only on the schema.
 */
export type ClaimKind =
  /** A unique scalar, also inside components: in published entries, per locale. */
  | {
      readonly kind: 'unique';
      readonly name: string;
      readonly within: readonly ItemStep[];
      readonly attribute: ScalarAttribute;
    }
  /**
   * Attributes that are unique together, by `indexes` of the schema file. As in SQL, not enforced if one of
   * them is null.
   */
  | { readonly kind: 'together'; readonly name: string; readonly names: readonly string[] }
  /** The target of a two-way one-to-one relation: in each version, per locale. */
  | { readonly kind: 'oneToOne'; readonly name: string; readonly attribute: RelationAttribute };

/** How deeply a component may be nested in itself, as menu items are, for `unique` to be enforced. */
const LEVELS_OF_ITSELF = 5;

const kindsByUid = oncePer((_schema: Schema) => new Map<string, readonly ClaimKind[]>());

export const claimKinds = (schema: Schema, type: ContentType): readonly ClaimKind[] =>
  memberOf(kindsByUid(schema), type.uid, () => [...uniqueKinds(schema, type, []), ...ownKinds(type)]);

function* uniqueKinds(
  schema: Schema,
  model: { readonly attributes: ContentType['attributes'] },
  within: readonly ItemStep[],
): Generator<ClaimKind> {
  for (const attribute of model.attributes.values()) {
    if (attribute.system) continue;
    if (attribute.kind === 'scalar' && attribute.unique)
      yield { kind: 'unique', name: nameOf(within, attribute.name), within, attribute };
    if (!holdsItems(attribute)) continue;
    for (const component of attribute.kind === 'component' ? [attribute.component] : attribute.components) {
      const inner = schema.components.get(component);
      const levels = within.filter((step) => step.component === component).length;
      if (inner && levels < LEVELS_OF_ITSELF)
        yield* uniqueKinds(schema, inner, [...within, { attribute, component }]);
    }
  }
}

function ownKinds(type: ContentType): ClaimKind[] {
  const together = type.indexes
    .filter(({ unique }) => unique)
    .map(({ keys }): ClaimKind => {
      const names = Object.keys(keys);
      return { kind: 'together', name: names.join('+'), names };
    });
  const oneToOne = [...type.attributes.values()].flatMap((attribute): ClaimKind[] =>
    attribute.kind === 'relation' && isExclusive(attribute)
      ? [{ kind: 'oneToOne', name: attribute.name, attribute }]
      : [],
  );
  return [...together, ...oneToOne];
}

/** The owning side of a two-way one-to-one relation: each target has one owner. */
const isExclusive = (attribute: RelationAttribute): boolean =>
  attribute.owner && attribute.relation === 'oneToOne' && attribute.inversedBy !== null;

const nameOf = (within: readonly ItemStep[], name: string): string =>
  [
    ...within.map(({ attribute, component }) =>
      attribute.kind === 'zone' ? `${attribute.name}:${component}` : attribute.name,
    ),
    name,
  ].join('.');
