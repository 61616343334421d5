import type { Attribute, Model, ScalarAttribute } from '../../schema/types.js';
import type { FieldsNode, PopulateTree } from '../ast.js';
import { visibleAttributes } from '../attributes.js';
import type {
  ComponentSelection,
  RelationSelection,
  Selection,
  SortKey,
  ZoneSelection,
} from '../read-plan.js';
import type { PlanContext } from './context.js';
import { planComponent, planRelation, planZone } from './populate.js';

/** What a query shows of a model. */
export interface Shown {
  readonly fields: FieldsNode | null;
  readonly populate: PopulateTree;
  /** Keys whose attributes come along unasked, as Strapi's joined queries select what they sort by. */
  readonly sort?: readonly SortKey[] | null;
}

/** What is shown of a model: its scalars, or those of `fields`, and what populate names; in the order of the schema. */
export function planSelection(
  model: Model,
  { fields, populate, sort }: Shown,
  context: PlanContext,
): Selection {
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

/** `id` and `documentId` are always among them (rules A.12). */
function planFields(
  model: Model,
  fields: FieldsNode | null,
  context: PlanContext,
  sorted: readonly SortKey[],
): readonly ScalarAttribute[] {
  const own = sorted.filter(({ via }) => via.length === 0).map(({ attribute }) => attribute.name);
  const wanted = fields && !fields.wildcard ? new Set(['id', 'documentId', ...fields.names, ...own]) : null;
  return visibleAttributes(model, context).filter(
    (attribute: Attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' && (wanted?.has(attribute.name) ?? true),
  );
}
