import type { Config } from '../config/types.js';
import type { RouteParts } from '../http/deps.js';
import { allRoutes } from '../http/routes/all.js';
import { differencesOf } from '../migrate/differences.js';
import { stepText } from '../migrate/files.js';
import { modelsOf, type ShapeAttribute, type StoredShape, storedShapeOf } from '../migrate/shape.js';
import type { Attribute, Schema } from '../schema/types.js';
import { inBoth, type MemberPair, sideBySide } from '../values/side-by-side.js';

/** The attributes that only one version of a model has. */
const alone = (
  before: StoredShape,
  after: StoredShape,
): readonly (MemberPair<ShapeAttribute> & { readonly place: string })[] =>
  inBoth(modelsOf(before), modelsOf(after)).flatMap(([uid, was, now]) =>
    sideBySide(was.attributes, now.attributes)
      .filter((each) => each.before === undefined || each.after === undefined)
      .map((each) => ({ ...each, place: `${uid}.${each.name}` })),
  );

/**
 * What a schema change means for stored content: one line for each difference, followed by the steps that a
 * migration needs.
 */
export function storedChanges(before: ContractSnapshot, after: ContractSnapshot): readonly string[] {
  const differences = differencesOf(before.shape, after.shape, after.defaultLocale);
  const reported = new Set(
    differences.flatMap(({ steps }) =>
      steps.flatMap((step) =>
        'renameAttribute' in step ? [`${step.of}.${step.renameAttribute}`, `${step.of}.${step.to}`] : [],
      ),
    ),
  );
  const unreported = alone(before.shape, after.shape).filter(({ place }) => !reported.has(place));
  return [
    ...differences.flatMap(({ says, steps, decide }) => [
      says,
      ...steps.map((step) => `  ${stepText(step)}`),
      ...(decide === null ? [] : [`  to decide: ${decide}`]),
    ]),
    ...unreported
      .filter((each) => each.before === undefined)
      .map(({ place }) => `${place} is null in existing entries; no migration is needed`),
    ...unreported
      .filter((each) => each.after === undefined)
      .map(
        ({ place }) => `${place}: its values are kept but not shown; the step removeAttribute deletes them`,
      ),
  ];
}

type Attributes = Readonly<Record<string, string>>;

/**
 * What clients rely on, and how it is stored: plain data, so that two versions of a project can be compared.
 */
export interface ContractSnapshot {
  /** Content types and components by uid, with a description of each attribute. */
  readonly models: Readonly<Record<string, Attributes>>;
  /** Routes such as `GET /api/articles`, with the action that each requires. */
  readonly routes: Readonly<Record<string, string>>;
  /** The stored form of the content types. */
  readonly shape: StoredShape;
  readonly defaultLocale: string;
}

const own = (schema: Schema) => [
  ...[...schema.contentTypes.values()].filter(({ origin }) => origin === 'api'),
  ...schema.components.values(),
];

/** The contract of a project, from its current files. */
export const contractOf = (parts: RouteParts): ContractSnapshot => ({
  models: Object.fromEntries(
    own(parts.schema).map(({ uid, attributes }) => [
      uid,
      Object.fromEntries(
        [...attributes.values()].filter(({ system }) => !system).map((a) => [a.name, describe(a)]),
      ),
    ]),
  ),
  routes: Object.fromEntries(allRoutes(parts).map((route) => routeOf(parts.config, route))),
  shape: storedShapeOf(parts.schema),
  defaultLocale: parts.config.plugins.i18n.defaultLocale,
});

const routeOf = (
  { rest }: Config,
  { method, path, action, closed }: ReturnType<typeof allRoutes>[number],
): [string, string] => [
  `${method.toUpperCase()} ${rest.prefix}${path}`,
  closed ? 'closed' : (action ?? 'open to everyone'),
];

const holds = (attribute: Attribute): string => {
  switch (attribute.kind) {
    case 'scalar':
      return attribute.enum ? `${attribute.type} (${attribute.enum.join(', ')})` : attribute.type;
    case 'relation':
      return `${attribute.relation} ${attribute.target ?? 'of any type'}`;
    case 'media':
      return attribute.many ? 'media, several' : 'media';
    case 'component':
      return `${attribute.many ? 'repeatable ' : ''}component ${attribute.component}`;
    case 'zone':
      return `dynamiczone (${attribute.components.join(', ')})`;
  }
};

const describe = (attribute: Attribute): string =>
  [
    holds(attribute),
    ...(['required', 'unique', 'private', 'localized'] as const).filter((flag) => attribute[flag]),
  ].join(', ');

/** One line for each addition, removal and change. */
const compare = (name: string, before: Attributes, after: Attributes): readonly string[] =>
  sideBySide(before, after).flatMap(({ name: key, before: was, after: now }) => {
    if (was === now) return [];
    if (was === undefined) return [`+ ${name}${key}: ${now}`];
    return now === undefined ? [`- ${name}${key}: ${was}`] : [`~ ${name}${key}: ${was} → ${now}`];
  });

/** The changes that clients see: `+` added, `-` removed, `~` changed. */
export const contractChanges = (before: ContractSnapshot, after: ContractSnapshot): readonly string[] => [
  ...sideBySide(before.models, after.models).flatMap(({ name: uid, before: was, after: now }) =>
    compare(`${uid}.`, was ?? {}, now ?? {}),
  ),
  ...compare('', before.routes, after.routes),
];
