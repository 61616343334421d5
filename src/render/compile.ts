/** Entries as the bodies of answers, by projectors compiled from the plan's selection (SPEC C.3 to C.7). */
import { placeOf, type Side, type Sides, sidesOf } from '../pipeline/sides.js';
import type { Doc, Step } from '../pipeline/types.js';
import type { ComponentSelection, ReadPlan, Selection, ZoneSelection } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { generate, type Member, member, type Projector, quote } from './generate.js';
import { holds, inOrder } from './items.js';
import { placerOf } from './sides.js';
import { type Convert, converterOf, type ValueOptions } from './values.js';

export interface RenderOptions extends Partial<ValueOptions> {
  /** Components and zone items show their `id` (SPEC 0.4, 1). */
  readonly componentIds: boolean;
  /** `Strapi-Response-Format: v4` (SPEC A.4, P.2). */
  readonly v4: boolean;
}

/** Shows one row of the plan's read. */
export type Render = (row: Doc) => Doc;

/**
 * Everything that the answer may hold is named in the plan, so nothing else can come out. In the v4 shape an entry's members
 * stand under `attributes` and relations under `data`; components stay flat.
 */
export function compileRender(plan: ReadPlan, options: RenderOptions): Render {
  return entryRender(plan.selection, plan.type, { textDates: false, ...options });
}

type Options = Required<RenderOptions>;

function entryRender(selection: Selection, type: ContentType, options: Options): Render {
  const writer = newWriter(sidesOf(selection), type, options);
  const attributes = selectionMembers(selection, [], writer);
  const keys = [
    { name: 'id', value: writer.call(converterOf('integer', options), 'row["id"]') },
    { name: 'documentId', value: member('documentId') },
  ];
  const members = options.v4
    ? [
        ...keys,
        { name: 'attributes', value: `${writer.use(generate(attributes, writer.functions))}(row, entry)` },
      ]
    : [...keys, ...attributes];
  const show = generate(members, writer.functions);
  return (row) => show(row, row);
}

/** What the generated text refers to, while it is written. */
interface Writer {
  readonly type: ContentType;
  readonly sides: Sides;
  readonly options: Options;
  readonly functions: unknown[];
  /** The text that names a function. */
  use(called: unknown): string;
  /** The text that converts a value. */
  call(convert: Convert, value: string): string;
}

function newWriter(sides: Sides, type: ContentType, options: Options): Writer {
  const functions: unknown[] = [];
  const use = (called: unknown): string => `f[${functions.push(called) - 1}]`;
  const call = (convert: Convert, value: string): string =>
    convert === undefined ? `${value} ?? null` : `${value} == null ? null : ${use(convert)}(${value})`;
  return { type, sides, options, functions, use, call };
}

/** Everything but the keys of an entry, and the `id` of an item. */
function selectionMembers(selection: Selection, steps: readonly Step[], writer: Writer): readonly Member[] {
  const { options } = writer;
  return [
    ...selection.scalars
      .filter(({ name, system }) => !(system && (name === 'id' || name === 'documentId')))
      .map((attribute) => ({
        name: attribute.name,
        value: writer.call(converterOf(attribute.type, options), `row[${quote(attribute.name)}]`),
      })),
    ...selection.components.map((component) => {
      const { attribute, selection: inner } = component;
      const step = { name: attribute.name, list: attribute.many };
      const show = itemProjector(inner, [...steps, step], writer);
      return {
        name: attribute.name,
        value: `${writer.use(placeItems(component, show))}(row[${quote(attribute.name)}], entry)`,
      };
    }),
    ...selection.zones.map(({ attribute, on, filters }) => {
      const shows = new Map(
        [...on].map(([component, inner]) => {
          const step = { name: attribute.name, list: true, component };
          return [component, itemProjector(inner, [...steps, step], writer, component)] as const;
        }),
      );
      return {
        name: attribute.name,
        value: `${writer.use(zone(shows, filters))}(row[${quote(attribute.name)}], entry)`,
      };
    }),
    ...selection.relations.flatMap(({ attribute: { name } }) => {
      const side = writer.sides.get(placeOf(steps, name));
      return side ? [{ name, value: `${writer.use(relation(side, writer))}(row, entry)` }] : [];
    }),
  ];
}

function itemProjector(
  selection: Selection,
  steps: readonly Step[],
  writer: Writer,
  component?: string,
): Projector {
  const id = { name: 'id', value: writer.call(converterOf('integer', writer.options), 'row["id"]') };
  const members = selectionMembers(selection, steps, writer);
  const ending = component === undefined ? [] : [{ name: '__component', value: quote(component) }];
  return generate([...(writer.options.componentIds ? [id] : []), ...members, ...ending], writer.functions);
}

type Place = (value: unknown, entry: Doc) => unknown;

/** A component as populate asks for it: the item or null, the items that its filter leaves, or their number. */
function placeItems({ attribute, filter, sort, count }: ComponentSelection, show: Projector): Place {
  const shown = (item: Doc): boolean =>
    filter === undefined || filter.kind === 'always' || holds(filter, item);
  if (!attribute.many)
    return (item, entry) =>
      item === null || item === undefined || !shown(item as Doc) ? null : show(item as Doc, entry);
  const keys = sort && sort.length > 0 ? sort : null;
  const plain = keys === null && (filter === undefined || filter.kind === 'always');
  return (stored, entry) => {
    const all: readonly Doc[] = Array.isArray(stored) ? stored : [];
    const items = plain ? all : all.filter(shown);
    if (count) return { count: items.length };
    return (keys ? inOrder(items, keys) : items).map((item) => show(item, entry));
  };
}

/** Items of components that the plan does not name are left out. */
function zone(shows: ReadonlyMap<string, Projector>, filters: ZoneSelection['filters']): Place {
  return (items, entry) =>
    Array.isArray(items)
      ? items.flatMap((item: Doc) => {
          const component = String(item['__component']);
          const show = shows.get(component);
          const filter = filters?.get(component);
          return show && (!filter || holds(filter, item)) ? [show(item, entry)] : [];
        })
      : [];
}

function relation(side: Side, { type, options }: Writer): Place {
  const { relation: selected } = side;
  const shows = selected.targets.map((target) => entryRender(target.selection, target.target, options));
  const place = placerOf(side, shows, type, options.v4);
  if (!options.v4) return (item, entry) => place(item as Doc, entry);
  if (selected.count) return (item, entry) => ({ data: { attributes: place(item as Doc, entry) } });
  return (item, entry) => ({ data: place(item as Doc, entry) });
}
