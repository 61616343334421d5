import { modelOf } from '../../schema/find.js';
import { isMediaInverse } from '../../schema/relation.js';
import type {
  Attribute,
  ComponentAttribute,
  ContentType,
  MediaAttribute,
  Model,
  RelationAttribute,
  ScalarAttribute,
  Schema,
  ZoneAttribute,
} from '../../schema/types.js';
import { visibleAttributes } from '../attributes.js';
import type { PopulateBranch, PopulateTree } from '../checked.js';
import type {
  ComponentSelection,
  Condition,
  LocaleChoice,
  RelationSelection,
  RelationTarget,
  SelectedFields,
  SortKey,
  ZoneSelection,
} from '../read-plan.js';
import { leadsToBoth } from '../versions.js';
import { contentTarget, linkedLocale, localeOf, type PlanContext } from './context.js';
import { planFilter } from './filter.js';
import { planSort } from './sort.js';

/** What a query requests of a model. */
interface Shown {
  readonly fields: readonly ScalarAttribute[] | null;
  readonly populate: PopulateTree;
  /**
   * Sort keys whose attributes are included without being requested, because Strapi's joined queries select
   * what they sort by.
   */
  readonly sort?: readonly SortKey[] | null;
}

/**
 * What is shown of a model: all its scalars or those of `fields`, and what populate names, in the order of
 * the schema.
 */
export function planSelection(
  model: Model,
  { fields, populate, sort }: Shown,
  context: PlanContext,
): SelectedFields {
  const components: ComponentSelection[] = [];
  const zones: ZoneSelection[] = [];
  const relations: RelationSelection[] = [];
  for (const attribute of visibleAttributes(model, context)) {
    const branch = populate.get(attribute.name);
    if (!branch) continue;
    if (attribute.kind === 'component') components.push(planComponent(attribute, branch, context));
    else if (attribute.kind === 'zone') zones.push(planZone(attribute, branch, context));
    else if (attribute.kind !== 'scalar') relations.push(planRelation(attribute, branch, context));
  }
  return { model, scalars: planFields(model, fields, context, sort ?? []), components, zones, relations };
}

/** `id` and `documentId` are always included. */
function planFields(
  model: Model,
  fields: readonly ScalarAttribute[] | null,
  context: PlanContext,
  sorted: readonly SortKey[],
): readonly ScalarAttribute[] {
  const own = sorted.filter(({ via }) => via.length === 0).map(({ attribute }) => attribute);
  const wanted = fields && new Set(['id', 'documentId', ...[...fields, ...own].map(({ name }) => name)]);
  return visibleAttributes(model, context).filter(
    (attribute: Attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && (wanted?.has(attribute.name) ?? true),
  );
}

/** A populated component: its items, or their number. */
function planComponent(
  attribute: ComponentAttribute,
  branch: PopulateBranch,
  context: PlanContext,
): ComponentSelection {
  const model = targetModel(attribute.component, context.schema);
  const sort = branch.sort && planSort(branch.sort, context);
  return {
    attribute,
    selection: planSelection(model, { ...branch, sort }, context),
    filter: planFilter(branch.filters, model, context),
    sort,
    count: branch.count,
  };
}

/** A populated zone: what is shown of each component that the query names, or of all of them. */
function planZone(attribute: ZoneAttribute, branch: PopulateBranch, context: PlanContext): ZoneSelection {
  const on = new Map<string, SelectedFields>();
  const filters = new Map<string, Condition>();
  for (const [uid, fragment] of branch.on ?? []) {
    const model = targetModel(uid, context.schema);
    on.set(uid, planSelection(model, { ...fragment, sort: null }, context));
    // The items of a zone keep their order: the sort is only validated.
    if (fragment.sort) planSort(fragment.sort, context);
    const filter = planFilter(fragment.filters, model, context);
    if (filter.kind !== 'always') filters.set(uid, filter);
  }
  return { attribute, on, filters };
}

/** A populated relation or media attribute. Media are never counted. */
function planRelation(
  attribute: RelationAttribute | MediaAttribute,
  branch: PopulateBranch,
  context: PlanContext,
): RelationSelection {
  const target = contentTarget(attribute, context.schema);
  const targets = target
    ? [planTarget(target, attribute, branch, context)]
    : [...(branch.on ?? [])].flatMap(([uid, fragment]) => planMorph(uid, attribute, fragment, context));
  return { attribute, targets, count: branch.count && attribute.kind === 'relation' };
}

/** A polymorphic relation shows the versions that it leads to; the inverse of media leads to both. */
function planMorph(
  uid: string,
  attribute: RelationAttribute | MediaAttribute,
  branch: PopulateBranch,
  context: PlanContext,
): readonly RelationTarget[] {
  const target = context.schema.contentTypes.get(uid);
  if (!target) return [];
  const both = isMediaInverse(attribute) && leadsToBoth(attribute, target, context);
  const statuses = both ? (['draft', 'published'] as const) : [context.status];
  return statuses.map((status) => planTarget(target, attribute, branch, { ...context, status }));
}

const ANY_LOCALE: LocaleChoice = { kind: 'any' };

function planTarget(
  target: ContentType,
  attribute: RelationAttribute | MediaAttribute,
  branch: PopulateBranch,
  context: PlanContext,
): RelationTarget {
  const linked = linkedLocale(target, attribute, context);
  const locale = linked && target.localized ? ANY_LOCALE : localeOf(target, attribute, context);
  const inside = { ...context, entry: target, locale };
  const sort: readonly SortKey[] | null = branch.sort && planSort(branch.sort, inside);
  return {
    target,
    status: context.status,
    moment: context.moment,
    locale,
    ...(linked && { linked }),
    filter: planFilter(branch.filters, target, inside),
    ...(isMediaInverse(attribute) && { shownIn: mediaOf(target, inside) }),
    publication: target.draftAndPublish ? context.publication : null,
    sort: sort && sort.length > 0 ? sort : null,
    selection: planSelection(target, { ...branch, sort: attribute.system ? null : sort }, inside),
  };
}

/** A file is related to an entry only through media attributes that the caller may see. */
const mediaOf = (target: ContentType, context: PlanContext): readonly MediaAttribute[] =>
  visibleAttributes(target, context).filter((attribute) => attribute.kind === 'media');

function targetModel(uid: string, schema: Schema) {
  const model = modelOf(schema, uid);
  if (!model) throw new TypeError(`The schema has no model ${uid}`);
  return model;
}
