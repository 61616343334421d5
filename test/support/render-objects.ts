/**
 * The model of what an answer shows (rules C.3 to C.7): entries rendered as objects, member by member. Tests compare what the
 * product writes from bytes with the JSON of these objects.
 */

import {
  type PopulateField,
  type PopulateFields,
  placeOf,
  populateFieldsOf,
} from '../../src/pipeline/populate/populate-fields.js';
import { stepInto } from '../../src/pipeline/step.js';
import type { Doc, Step } from '../../src/pipeline/types.js';
import { schemaAttribute } from '../../src/query/attributes.js';
import type {
  ComponentSelection,
  ReadPlan,
  SelectedFields,
  ZoneSelection,
} from '../../src/query/read-plan.js';
import { holds, inOrder } from '../../src/render/items.js';
import { placerOf } from '../../src/render/populated.js';
import { scalarOf } from '../../src/schema/scalars/index.js';
import type { ShowOptions } from '../../src/schema/scalars/scalar.js';
import type { ContentType, ScalarAttribute } from '../../src/schema/types.js';
import { isDbRef } from '../../src/values/bson.js';
import { oncePer } from '../../src/values/once-per.js';
import { isPlainObject, objectAt } from '../../src/values/plain-object.js';

/** Renders a row: an entry, or one of its component items. `entry` has the populate fields. */
type Projector = (row: Doc, entry: Doc) => Doc;

/** Renders a stored value of a row. */
type Placing = (value: unknown, entry: Doc) => unknown;

/** A member of an answer and where its value comes from. */
type Member =
  /** A stored value, converted if `convert` is given; null if missing. */
  | {
      readonly name: string;
      readonly stored: string;
      readonly convert: ((value: unknown) => unknown) | undefined;
    }
  /** Component items, each rendered. */
  | { readonly name: string; readonly stored: string; readonly place: Placing }
  /** Computed from the row and the entry's populate fields. */
  | { readonly name: string; readonly of: (row: Doc, entry: Doc) => unknown };

/** Renders a row as `{ name: value, … }`. */
const projector =
  (members: readonly Member[]): Projector =>
  (row, entry) => {
    const shown: Record<string, unknown> = {};
    for (const member of members) shown[member.name] = memberValue(member, row, entry);
    return shown;
  };

function memberValue(member: Member, row: Doc, entry: Doc): unknown {
  if ('of' in member) return member.of(row, entry);
  const value = row[member.stored] ?? null;
  if ('place' in member) return member.place(value, entry);
  return value === null || member.convert === undefined ? value : member.convert(value);
}

export interface RenderOptions extends Partial<ShowOptions> {
  /** Components and zone items show their `id` (rules 0.4, 1). */
  readonly componentIds: boolean;
  /** `Strapi-Response-Format: v4` (rules A.4, P.2). */
  readonly v4: boolean;
  /**
   * An entry that several others refer to is rendered once and shared. Only for answers that are serialized,
   * not for callers who could modify it.
   */
  readonly once?: boolean;
}

/** Renders one row of the plan's read. */
export type Render = (row: Doc) => Doc;

/**
 * Only what the plan names can appear in the answer. In the v4 format, an entry's members are under
 * `attributes` and relations under `data`; components stay flat.
 */
export function renderObjects(plan: Pick<ReadPlan, 'selection' | 'type'>, options: RenderOptions): Render {
  return entryRender(plan.selection, plan.type, { textDates: false, once: false, ...options });
}

type Options = Required<RenderOptions>;

function entryRender(selection: SelectedFields, type: ContentType, options: Options): Render {
  const within = { type, populates: populateFieldsOf(selection), options };
  const attributes = selectionMembers(selection, [], within);
  const keys: readonly Member[] = [
    { name: 'id', stored: 'id', convert: type.storage ? undefined : scalarOf('integer').show?.(options) },
    { name: 'documentId', stored: 'documentId', convert: undefined },
  ];
  const members = options.v4
    ? [...keys, { name: 'attributes', of: projector(attributes) }]
    : [...keys, ...attributes];
  const show = projector(members);
  return (row) => show(row, row);
}

/** The entry that contains a selection. */
interface Within {
  readonly type: ContentType;
  readonly populates: PopulateFields;
  readonly options: Options;
}

/** All members except an entry's `id` and `documentId` and an item's `id`. */
function selectionMembers(
  selection: SelectedFields,
  steps: readonly Step[],
  within: Within,
): readonly Member[] {
  const members: Member[] = [];
  for (const attribute of selection.scalars) {
    const { name, system } = attribute;
    if (!(system && (name === 'id' || name === 'documentId')))
      members.push({ name, stored: name, convert: showOf(attribute, within.options) });
  }
  for (const component of selection.components) {
    const { name } = component.attribute;
    members.push({ name, stored: name, place: items(component, steps, within) });
  }
  for (const selected of selection.zones) {
    const { name } = selected.attribute;
    members.push({ name, stored: name, place: zone(selected, steps, within) });
  }
  for (const { attribute } of selection.relations) {
    const populate = within.populates.get(placeOf(steps, attribute.name));
    if (populate) members.push({ name: attribute.name, of: relation(populate, within) });
  }
  return members;
}

/** Values of adopted collections already have their JSON form (pipeline/populate/shape). */
const showOf = ({ type, adopted }: ScalarAttribute, options: Options) =>
  adopted ? (options.textDates ? isoDates : undefined) : scalarOf(type).show?.(options);

function isoDates(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(isoDates);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isoDates(item)]));
}

function itemProjector(
  selection: SelectedFields,
  steps: readonly Step[],
  within: Within,
  component?: string,
): Projector {
  const { options } = within;
  const attribute = schemaAttribute(selection.model, 'id');
  const id: readonly Member[] =
    attribute?.kind === 'scalar' ? [{ name: 'id', stored: 'id', convert: showOf(attribute, options) }] : [];
  const ending: readonly Member[] =
    component === undefined ? [] : [{ name: '__component', of: () => component }];
  return projector([
    ...(options.componentIds ? id : []),
    ...selectionMembers(selection, steps, within),
    ...ending,
  ]);
}

/** Renders the value of a component attribute in the model at `steps`. */
function items(selected: ComponentSelection, steps: readonly Step[], within: Within): Placing {
  const show = itemProjector(selected.selection, [...steps, stepInto(selected.attribute)], within);
  return placeItems(selected, show, within.populates);
}

/** Renders the value of a zone. */
function zone({ attribute, on, filters }: ZoneSelection, steps: readonly Step[], within: Within): Placing {
  const shows = new Map<string, Projector>();
  for (const [component, inner] of on)
    shows.set(component, itemProjector(inner, [...steps, stepInto(attribute, component)], within, component));
  return placeZone(shows, filters, within.populates);
}

/**
 * A component as populate requests it: the item or null, the items that match its filter, or their number.
 */
function placeItems(
  { attribute, filter, sort, count }: ComponentSelection,
  show: Projector,
  populates: PopulateFields,
): Placing {
  const shown = (item: Doc, entry: Doc): boolean =>
    filter === undefined || filter.kind === 'always' || holds(filter, item, { entry, populates });
  if (!attribute.many)
    return (item, entry) => {
      const found = isItem(item) && shown(item, entry) ? item : null;
      if (count) return { count: found ? 1 : 0 };
      return found && show(found, entry);
    };
  const keys = sort && sort.length > 0 ? sort : null;
  const plain = keys === null && (filter === undefined || filter.kind === 'always');
  return (stored, entry) => {
    const all: readonly Doc[] = Array.isArray(stored) ? stored.filter(isItem) : [];
    const items = plain ? all : all.filter((item) => shown(item, entry));
    if (count) return { count: items.length };
    const rows = items.map((item) => ({ item }));
    return (keys ? inOrder(rows, keys, { entry, populates }) : rows).map(({ item }) => show(item, entry));
  };
}

/** Items of components that the plan does not name are left out. */
function placeZone(
  shows: ReadonlyMap<string, Projector>,
  filters: ZoneSelection['filters'],
  populates: PopulateFields,
): Placing {
  return (items, entry) =>
    Array.isArray(items)
      ? items.filter(isItem).flatMap((item: Doc) => {
          const component = String(item['__component']);
          const show = shows.get(component);
          const filter = filters?.get(component);
          return show && (!filter || holds(filter, item, { entry, populates })) ? [show(item, entry)] : [];
        })
      : [];
}

function relation(populate: PopulateField, { type, options }: Within): (item: Doc, entry: Doc) => unknown {
  const { relation: selected } = populate;
  const shows = selected.targets.map((target) => {
    const show = entryRender(target.selection, target.target, options);
    // All rows of a path come from one lookup, so a rendered row is reused wherever it appears again.
    return options.once ? oncePer(show) : show;
  });
  const place = placerOf<Doc>(populate, { of: shows, typed: options.v4 ? typedV4 : typed }, type);
  if (!options.v4) return place;
  if (selected.count) return (item, entry) => ({ data: { attributes: place(item, entry) } });
  return (item, entry) => ({ data: place(item, entry) });
}

const typed = (shown: Doc, type: string): Doc => ({ ...shown, __type: type });
const typedV4 = (shown: Doc, type: string): Doc => ({
  ...shown,
  attributes: { ...objectAt(shown, 'attributes'), __type: type },
});

/** Values other than documents are left out of lists. */
const isItem = (value: unknown): value is Doc => isPlainObject(value) || isDbRef(value);
