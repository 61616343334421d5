/** Every path through a schema to an attribute, and every position of a query that can name it. */
import type { Grants } from '../../src/query/read-plan.js';
import type { Attribute, Model, Schema } from '../../src/schema/types.js';

export interface AttributePath {
  readonly names: readonly string[];
  readonly hidden: boolean;
}

/** Private, a password, or a relation to a type that the caller may not find. */
export const hiddenFrom =
  (grants: Grants) =>
  (attribute: Attribute): boolean => {
    if (attribute.private) return true;
    if (attribute.kind === 'scalar') return attribute.type === 'password';
    const { kind } = attribute;
    return kind === 'relation' && attribute.target !== null && !grants.allows(`${attribute.target}.find`);
  };

const modelAt = (schema: Schema, uid: string | null): Model | undefined =>
  uid === null ? undefined : (schema.contentTypes.get(uid) ?? schema.components.get(uid));

const nextOf = (schema: Schema, attribute: Attribute): Model | undefined => {
  if (attribute.kind === 'relation') return modelAt(schema, attribute.target);
  if (attribute.kind === 'media') return modelAt(schema, 'plugin::upload.file');
  return attribute.kind === 'component' ? modelAt(schema, attribute.component) : undefined;
};

export interface PathOptions {
  readonly schema: Schema;
  readonly isHidden: (attribute: Attribute) => boolean;
  /** The maximum number of attributes in a path. */
  readonly steps: number;
}

/** Every path of at most this many steps from a model to a scalar. A path through something hidden is hidden. */
export const pathsFrom = (model: Model, options: PathOptions, hidden = false): AttributePath[] => {
  const { schema, isHidden, steps } = options;
  return [...model.attributes.values()].flatMap((attribute): AttributePath[] => {
    const closed = hidden || isHidden(attribute);
    if (attribute.kind === 'scalar') return [{ names: [attribute.name], hidden: closed }];
    const next = steps > 1 ? nextOf(schema, attribute) : undefined;
    if (!next) return [];
    return pathsFrom(next, { ...options, steps: steps - 1 }, closed).map((path) => ({
      ...path,
      names: [attribute.name, ...path.names],
    }));
  });
};

export const brackets = (names: readonly string[]): string => names.map((name) => `[${name}]`).join('');

/** The positions of a query that can name a path: fields, filters, sort, populate, and the three inside populate. */
export const queriesFor = (names: readonly string[]): string[] => {
  const [first = '', ...rest] = names;
  const leaf = names.at(-1) ?? '';
  const inside = names.slice(0, -1);
  const populate = `populate${inside.map((name) => `[${name}]`).join('[populate]')}`;
  return [
    ...['$notNull', '$startsWith', '$eq', '$ne'].map(
      (operator) => `filters${brackets(names)}[${operator}]=a`,
    ),
    `filters[$not]${brackets(names)}[$null]=true`,
    `filters[$or][0]${brackets(names)}=a`,
    `sort=${names.join('.')}`,
    `sort=name&sort${brackets(names)}=desc`,
    `fields=${leaf}&populate=${names.join('.')}`,
    `fields=${names.join('.')}`,
    ...(inside.length === 0 ? [`fields[0]=${leaf}`] : []),
    ...(inside.length === 0
      ? []
      : [
          `populate=${inside.join('.')}`,
          `${populate}=true`,
          `${populate}[fields]=${leaf}`,
          `${populate}[filters][${leaf}][$startsWith]=a`,
          `${populate}[sort]=${leaf}`,
          `populate[${first}][filters]${brackets(rest)}[$notNull]=true`,
          `populate[${first}][sort]=${rest.join('.')}`,
          `${populate}[count]=true`,
        ]),
  ];
};

/** The same positions inside the zones of a model. */
export const zoneQueries = (model: Model, options: PathOptions): string[] =>
  [...model.attributes.values()].flatMap((attribute) => {
    if (attribute.kind !== 'zone') return [];
    return attribute.components.flatMap((uid) => {
      const component = options.schema.components.get(uid);
      const place = `populate[${attribute.name}][on][${uid}]`;
      const paths = component ? pathsFrom(component, options) : [];
      return paths.flatMap(({ names }) =>
        queriesFor(names).map((query) =>
          query
            .split('&')
            .map((part) => part.replace(/^[a-z]+/, (word) => `${place}[${word}]`))
            .join('&'),
        ),
      );
    });
  });
