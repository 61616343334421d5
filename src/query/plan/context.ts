import { type ApiError, errors } from '../../errors.js';
import { modelOf } from '../../schema/find.js';
import { isLocalizations } from '../../schema/relation.js';
import type {
  Attribute,
  ComponentAttribute,
  ContentType,
  MediaAttribute,
  Model,
  RelationAttribute,
  Schema,
  Status,
} from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import type { Param } from '../ast.js';
import { owningNamed, visibleNamed } from '../attributes.js';
import type {
  ComponentHop,
  LinkedLocale,
  LocaleChoice,
  Moment,
  PublicationFilter,
  RelationHop,
} from '../read-plan.js';
import type { QueryScope } from '../settings.js';
import { leadsToBoth, type SeenFrom } from '../versions.js';

/** What all parts of planning need. `param` is the root parameter being planned, for `details`. */
export interface PlanContext extends QueryScope, SeenFrom {
  readonly status: Status;
  readonly moment: Moment | null;
  /** The locales of the entry that the path starts from. */
  readonly locale: LocaleChoice;
  readonly publication: PublicationFilter | null;
  readonly param: Param;
}

/**
 * The 400 for a value that does not fit its key: Strapi's own message if it has one, otherwise the key and
 * what was expected.
 */
export function badValue(context: PlanContext, message: string, key: string, path: string | null): ApiError {
  const place = context.settings.mode === 'rest' ? { source: 'query', param: context.param } : {};
  return errors.validation('filter-value-invalid', `${message} at ${path ?? key}`, { key, path, ...place });
}

/** Which locales of the target belong to entries in `locale`. */
export function localeOf(target: ContentType, attribute: Attribute, context: PlanContext): LocaleChoice {
  if (!target.localized) return { kind: 'none' };
  if (isLocalizations(attribute) || isAcrossLocales(target, attribute)) return { kind: 'any' };
  switch (context.locale.kind) {
    case 'none':
      // An entry without locales shows all locales that refer to it; what it refers to is shown in the
      // default locale.
      return isInverse(attribute) ? { kind: 'any' } : { kind: 'one', code: context.settings.defaultLocale };
    case 'one':
      return context.locale;
    default:
      return { kind: 'parent' };
  }
}

/**
 * Set if each reference names its own locale: between a localized type and one that is not, and in relations
 * that an import recorded as such.
 */
export function linkedLocale(
  target: ContentType,
  attribute: RelationAttribute | MediaAttribute,
  { locale, settings }: PlanContext,
): LinkedLocale | null {
  if (attribute.kind === 'media' || attribute.system || target.storage) return null;
  if (!owningOf(target, attribute)) return null;
  const [own, others] = [locale.kind !== 'none', target.localized];
  if (own && others) return isAcrossLocales(target, attribute) ? { otherwise: null } : null;
  return (attribute.owner ? others : own) ? { otherwise: settings.defaultLocale } : null;
}

/** The attribute that stores the references. */
function owningOf(target: ContentType, attribute: Attribute): RelationAttribute | null {
  if (attribute.kind !== 'relation') return null;
  if (attribute.owner) return attribute;
  const other = owningNamed(target, attribute);
  return other?.kind === 'relation' && other.owner ? other : null;
}

const isAcrossLocales = (target: ContentType, attribute: Attribute): boolean =>
  owningOf(target, attribute)?.acrossLocales === true;

const isInverse = (attribute: Attribute): boolean => attribute.kind === 'relation' && !attribute.owner;

/**
 * The type that a relation or media attribute leads to; undefined for polymorphic relations, on the owning
 * side.
 */
export function contentTarget(
  attribute: RelationAttribute | MediaAttribute,
  schema: Schema,
): ContentType | undefined {
  const uid = attribute.kind === 'media' ? FILE_UID : attribute.target;
  return uid === null ? undefined : schema.contentTypes.get(uid);
}

function relationHop(
  attribute: RelationAttribute | MediaAttribute,
  context: PlanContext,
): RelationHop | undefined {
  const target = contentTarget(attribute, context.schema);
  if (!target) return undefined;
  // Between a localized type and one that is not, filters use the default locale.
  const linked = isAcrossLocales(target, attribute) ? linkedLocale(target, attribute, context) : null;
  return {
    kind: 'relation',
    attribute,
    target,
    status: context.status,
    toBoth: leadsToBoth(attribute, target, context),
    locale: localeOf(target, attribute, context),
    moment: context.moment,
    ...(linked && { linked }),
  };
}

function componentHop(attribute: ComponentAttribute, schema: Schema): ComponentHop | undefined {
  const target = modelOf(schema, attribute.component);
  return target && { kind: 'component', attribute, target };
}

/** The hop from an entry through one attribute; undefined for attributes that lead nowhere. */
export function hopOf(attribute: Attribute, context: PlanContext): RelationHop | ComponentHop | undefined {
  if (attribute.kind === 'component') return componentHop(attribute, context.schema);
  if (attribute.kind === 'relation' || attribute.kind === 'media') return relationHop(attribute, context);
  return undefined;
}

/** The context after a hop: component items belong to the same entry. */
export const contextAfterHop = (hop: RelationHop | ComponentHop, context: PlanContext): PlanContext =>
  hop.kind === 'component' ? context : { ...context, entry: hop.target, locale: hop.locale };

/** The numeric id, by which sorts are made stable and relations compared; undefined if the model has none. */
export const numericIdAttribute = (model: Model, context: PlanContext) => {
  const attribute = visibleNamed(model, 'id', context);
  return attribute?.kind === 'scalar' ? attribute : undefined;
};

/** The position of a filter node. `path` is null at the root of the query's model. */
export interface FilterPlace {
  readonly model: Model;
  readonly path: string | null;
  /** Below an odd number of `$not`: negation is pushed down to the tests. */
  readonly negated: boolean;
  readonly context: PlanContext;
}
