import type { Attribute, Schema } from '../schema/types.js';

/** How an attribute is stored: everything that its stored values depend on. */
export interface ShapeAttribute {
  /** A scalar type, or `relation`, `media`, `component`, `zone`. */
  readonly type: string;
  readonly many?: true;
  readonly localized?: true;
  /** Only for components. */
  readonly component?: string;
  readonly components?: readonly string[];
  /** Only for relations. */
  readonly target?: string;
  /** The schema no longer has the attribute, but its values are still stored. */
  readonly gone?: true;
}

type ShapeAttributes = Readonly<Record<string, ShapeAttribute>>;

export interface ShapeModel {
  readonly attributes: ShapeAttributes;
  /** Relations whose references are stored on their other side. */
  readonly inverses?: readonly string[];
}

export interface ShapeType extends ShapeModel {
  readonly collection: string;
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
}

/** How a schema stores its content, for comparison with later schemas. */
export interface StoredShape {
  readonly types: Readonly<Record<string, ShapeType>>;
  readonly components: Readonly<Record<string, ShapeModel>>;
}

const attributesOf = (attributes: ReadonlyMap<string, Attribute>): ShapeAttributes =>
  Object.fromEntries(
    [...attributes.values()].flatMap((attribute) => {
      const shape = attribute.system ? null : attributeShape(attribute);
      return shape ? [[attribute.name, shape] as const] : [];
    }),
  );

const inversesOf = (attributes: ReadonlyMap<string, Attribute>): Pick<ShapeModel, 'inverses'> => {
  const inverses = [...attributes.values()].filter((one) => one.kind === 'relation' && !one.owner);
  return inverses.length > 0 ? { inverses: inverses.map(({ name }) => name) } : {};
};

const attributeShape = (attribute: Attribute): ShapeAttribute | null => {
  const localized = attribute.localized ? { localized: true as const } : {};
  if (attribute.kind === 'scalar') return { type: attribute.type, ...localized };
  if (attribute.kind === 'zone') return { type: 'zone', ...localized, components: attribute.components };
  // The inverse side of a relation is not stored.
  if (attribute.kind === 'relation' && !attribute.owner) return null;
  return {
    type: attribute.kind,
    ...localized,
    ...(attribute.many && { many: true as const }),
    ...(attribute.kind === 'component' && { component: attribute.component }),
    ...(attribute.kind === 'relation' && attribute.target !== null && { target: attribute.target }),
  };
};

/** The shape of a project's own types and components; adopted collections are not migrated. */
export function storedShapeOf(schema: Schema): StoredShape {
  const types = [...schema.contentTypes.values()].filter(
    ({ origin, storage }) => origin === 'api' && storage === null,
  );
  const components = [...schema.components.values()].filter(({ adopted }) => !adopted);
  return {
    types: Object.fromEntries(
      types.map((type) => [
        type.uid,
        {
          collection: type.collectionName,
          draftAndPublish: type.draftAndPublish,
          localized: type.localized,
          attributes: attributesOf(type.attributes),
          ...inversesOf(type.attributes),
        },
      ]),
    ),
    components: Object.fromEntries(
      components.map(({ uid, attributes }) => [uid, { attributes: attributesOf(attributes) }]),
    ),
  };
}

export const modelsOf = ({ types, components }: StoredShape): Readonly<Record<string, ShapeModel>> => ({
  ...types,
  ...components,
});

export const shapeModel = (shape: StoredShape, uid: string): ShapeModel | undefined =>
  shape.types[uid] ?? shape.components[uid];

/** The shape with a changed model. */
export const withModel = (shape: StoredShape, uid: string, change: Partial<ShapeType>): StoredShape => {
  const type = shape.types[uid];
  if (type) return { ...shape, types: { ...shape.types, [uid]: { ...type, ...change } } };
  const attributes = change.attributes ?? shape.components[uid]?.attributes ?? {};
  return { ...shape, components: { ...shape.components, [uid]: { attributes } } };
};

/** The shape with one attribute changed or removed. */
export const withAttribute = (
  shape: StoredShape,
  uid: string,
  name: string,
  attribute: ShapeAttribute | null,
): StoredShape => {
  const { [name]: _, ...rest } = shapeModel(shape, uid)?.attributes ?? {};
  return withModel(shape, uid, { attributes: attribute ? { ...rest, [name]: attribute } : rest });
};

/** The components that the items of an attribute may belong to. */
export const componentsOf = ({ type, component, components }: ShapeAttribute): readonly string[] =>
  type === 'zone' ? (components ?? []) : component === undefined ? [] : [component];

/** The content types whose entries contain a model, directly or in components. */
export function holdersOf(shape: StoredShape, uid: string): readonly string[] {
  if (shape.types[uid]) return [uid];
  const holds = (model: ShapeModel, seen: ReadonlySet<string>): boolean =>
    Object.values(model.attributes)
      .flatMap(componentsOf)
      .some((inner) => {
        if (inner === uid) return true;
        const component = seen.has(inner) ? undefined : shape.components[inner];
        return component !== undefined && holds(component, new Set([...seen, inner]));
      });
  return Object.entries(shape.types)
    .filter(([, type]) => holds(type, new Set()))
    .map(([name]) => name);
}

export const draftsOf = ({ collection }: Pick<ShapeType, 'collection'>): string => `${collection}.drafts`;

/** The collections of a type's entries: published, then drafts. */
export const shapeCollections = (type: ShapeType): readonly string[] =>
  type.draftAndPublish ? [type.collection, draftsOf(type)] : [type.collection];

/**
 * The applied shape together with the additions of a newer schema. Attributes that the newer schema leaves
 * out are marked as gone, since their values are still stored; so an older server that starts beside a newer
 * one removes nothing.
 */
export function mergeShapes(applied: StoredShape, current: StoredShape): StoredShape {
  const merge = (old: ShapeAttributes, now: ShapeAttributes): ShapeAttributes => ({
    ...Object.fromEntries(
      Object.entries(old).map(([name, attribute]) => [name, { ...attribute, gone: true as const }]),
    ),
    ...now,
  });
  return {
    types: {
      ...applied.types,
      ...Object.fromEntries(
        Object.entries(current.types).map(([uid, type]) => [
          uid,
          { ...type, attributes: merge(applied.types[uid]?.attributes ?? {}, type.attributes) },
        ]),
      ),
    },
    components: {
      ...applied.components,
      ...Object.fromEntries(
        Object.entries(current.components).map(([uid, model]) => [
          uid,
          { attributes: merge(applied.components[uid]?.attributes ?? {}, model.attributes) },
        ]),
      ),
    },
  };
}
