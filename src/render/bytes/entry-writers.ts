/**
 * The writers of a plan: one for each level of entries (the page, the targets of a path) and their component
 * items. Only what the plan names can appear in the answer. In the v4 format, an entry's members are under
 * `attributes` and relations under `data`; components stay flat.
 */
import { type PopulateField, placeOf, populateFieldsOf } from '../../pipeline/populate/populate-fields.js';
import { countsInDatabase } from '../../pipeline/populate/project.js';
import { componentForm, placedBy } from '../../pipeline/populate/shape.js';
import { PLACE } from '../../pipeline/sources/merge.js';
import { hasSeveralSources } from '../../pipeline/sources/sources-of.js';
import { stepInto } from '../../pipeline/step.js';
import type { Step } from '../../pipeline/types.js';
import { schemaAttribute } from '../../query/attributes.js';
import type {
  ComponentSelection,
  RelationTarget,
  SelectedFields,
  ZoneSelection,
} from '../../query/read-plan.js';
import type { ContentType, ScalarAttribute, ScalarType } from '../../schema/types.js';
import { once } from '../../values/once-per.js';
import { adoptedMember, adoptedReads, keyMember, textsIn } from './adopted.js';
import { chooserOf, documentsAt, type ItemOffsets, itemOffsets } from './items.js';
import {
  type FieldCursor,
  type Member,
  type ObjectWriter,
  objectWriter,
  type ResponseOutput,
} from './object.js';
import { CLOSE, CLOSE_LIST, COMMA, NULL, OPEN_LIST } from './output.js';
import { memberAt, readerAt } from './paths.js';
import { type EntryWriter, type RenderOptions, relationMember, type Within } from './relations.js';
import { type Read, type Reads, readMember, rowClass, rowsAt, spell } from './rows.js';
import { valueWriter } from './values.js';

/** @param placing members that assign these rows to the rows above them */
export function entryWriter(
  selection: SelectedFields,
  type: ContentType,
  options: RenderOptions,
  placing: Placing = NOWHERE,
): EntryWriter {
  const populates = populateFieldsOf(selection);
  const levels = writersBelow([...populates.values()], type, options);
  const below = (field: string): EntryWriter | undefined => levels.get(field)?.();
  const within: Within = { type, populates, options, below };
  const lists = new Map([...levels].map(([field, level]) => [field, listRead(field, level)]));
  const reads: Reads = new Map([
    ...lists,
    ...adoptedReads(selection, { type, populates, lists }),
    ...placing.reads,
  ]);
  const fields = [...populates.values()].flatMap((populate) => populate.fields);
  const rows = once(() =>
    rowClass([...(type.storage ? reads.keys() : namesOf(selection)), ...placing.names, ...fields]),
  );
  const attributes = selectionMembers(selection, [], within);
  const named: readonly Member[] = type.storage
    ? [keyMember('id'), keyMember('documentId')]
    : [scalarMember('id', 'integer'), scalarMember('documentId', 'string')];
  return {
    rowAt: (bytes, start) => new (rows())(bytes, start, reads),
    below,
    write: objectWriter(
      options.v4 ? [...named, enclosed('attributes', attributes)] : [...named, ...attributes],
    ),
  };
}

/** Levels by their populate field, each compiled when its first row is read. */
const writersBelow = (
  populates: readonly PopulateField[],
  type: ContentType,
  options: RenderOptions,
): ReadonlyMap<string, () => EntryWriter> =>
  new Map(
    populates
      .filter((populate) => populate.kind !== 'tested' && !countsInDatabase(populate))
      .flatMap((populate) =>
        populate.relation.targets.flatMap((target, index) => {
          const level = once(() =>
            entryWriter(target.selection, target.target, options, placingIn(populate, target, type)),
          );
          const fields = [
            populate.fields[index] ?? '',
            ...(populate.lookups[index] ?? []).map(({ field }) => field),
          ];
          return fields.map((field) => [field, level] as const);
        }),
      ),
  );

/** Members of a target that are needed to match it with the other side, or to order it. */
interface Placing {
  readonly names: readonly string[];
  readonly reads: Reads;
}

const NOWHERE: Placing = { names: [], reads: new Map() };

function placingIn(populate: PopulateField, of: RelationTarget, type: ContentType): Placing {
  const { target } = of;
  const placed = placedBy(populate, target, type);
  return {
    names: target.storage ? (hasSeveralSources(of) ? [PLACE] : []) : placingKeys(populate),
    reads: new Map(placed ? [[placed.name, readerAt(placed.stored, placed.form)]] : []),
  };
}

const listRead = (field: string, level: () => EntryWriter): Read => {
  const read = rowsAt((bytes, start) => level().rowAt(bytes, start));
  const name = spell(field);
  return (bytes, start) => readMember(bytes, start, name, read);
};

/** Members of a row that may be read: its own, and those that place its relations. */
const namesOf = ({ scalars, components, zones, relations }: SelectedFields): readonly string[] => [
  'id',
  'documentId',
  'locale',
  '_links',
  ...scalars.map(({ name }) => name),
  ...[...components, ...zones, ...relations].map(({ attribute }) => attribute.name),
];

function placingKeys({ relation: { attribute, targets } }: PopulateField): readonly string[] {
  const paths = [
    attribute.link.foreign,
    ...(attribute.kind === 'relation' ? [attribute.mappedBy ?? '', attribute.morphBy ?? ''] : []),
    ...targets.flatMap(({ shownIn }) => (shownIn ?? []).map(({ stored }) => stored)),
  ];
  return paths.map((path) => path.split('.')[0] ?? '').filter((name) => name !== '');
}

/** All members except an entry's `id` and `documentId` and an item's `id`. */
function selectionMembers(
  selection: SelectedFields,
  steps: readonly Step[],
  within: Within,
): readonly Member[] {
  return [
    ...selection.scalars
      .filter(({ name, system }) => !(system && (name === 'id' || name === 'documentId')))
      .map(attributeMember),
    ...selection.components.map((component) => componentMember(component, steps, within)),
    ...selection.zones.map((each) => zoneMember(each, steps, within)),
    ...selection.relations.flatMap(({ attribute }) => {
      const populate = within.populates.get(placeOf(steps, attribute.name));
      return populate ? [relationMember(populate, steps, within)] : [];
    }),
  ];
}

const attributeMember = (attribute: ScalarAttribute): Member =>
  attribute.adopted ? adoptedMember(attribute) : scalarMember(attribute.name, attribute.type);

function scalarMember(name: string, type: ScalarType): Member {
  const writeValue = valueWriter(type);
  return {
    name,
    stored: name,
    write({ out }, { type, bytes, at }) {
      if (type < 0) out.raw(NULL);
      else writeValue(out, type, bytes, at);
    },
  };
}

/** Members of the same document, nested in an object. */
function enclosed(name: string, members: readonly Member[]): Member {
  const write = objectWriter(members);
  return {
    name,
    stored: null,
    write(answer, { entry, bytes, start }) {
      write(answer, entry, bytes, start);
      answer.out.byte(CLOSE);
    },
  };
}

/** Writes the item at `at`. */
type WriteItem = (answer: ResponseOutput, cursor: FieldCursor, at: number) => void;

const writing =
  (write: ObjectWriter): WriteItem =>
  (answer, { entry, bytes }, at) => {
    write(answer, entry, bytes, at);
    answer.out.byte(CLOSE);
  };

/** A populated component: its items, the item or null, or their number. */
function componentMember(component: ComponentSelection, steps: readonly Step[], within: Within): Member {
  const { attribute, selection, filter, sort, count } = component;
  const { name, stored, many, adopted } = attribute;
  const inside = [...steps, stepInto(attribute)];
  const form = adopted ? componentForm(component) : textsIn(inside, within);
  const choose = chooserOf({ filter, sort: many ? sort : null, form }, within);
  const writeItem = writing(itemWriter(selection, inside, within));
  return memberAt(name, adopted ? stored : name, (answer, cursor) => {
    const { out } = answer;
    const all = itemOffsets(cursor, attribute);
    const items = choose ? choose(all, cursor) : all;
    if (count) out.text(`{"count":${items.length}}`);
    else if (many) writeList(answer, items, (at) => writeItem(answer, cursor, at));
    else if (items[0] === undefined) out.raw(NULL);
    else writeItem(answer, cursor, items[0]);
  });
}

function writeList({ out }: ResponseOutput, items: ItemOffsets, writeItem: (at: number) => void): void {
  out.byte(OPEN_LIST);
  for (const [index, at] of items.entries()) {
    if (index > 0) out.byte(COMMA);
    writeItem(at);
  }
  out.byte(CLOSE_LIST);
}

const COMPONENT = '__component';
const SPELLED_COMPONENT = spell(COMPONENT);

/** A zone: the items of the components that the plan names. */
function zoneMember(selected: ZoneSelection, steps: readonly Step[], within: Within): Member {
  const { attribute, on, filters } = selected;
  const { name } = attribute;
  const form = textsIn([...steps, stepInto(attribute)], within);
  const shown = new Map(
    [...on].map(([component, inner]) => [
      component,
      {
        write: writing(itemWriter(inner, [...steps, stepInto(attribute, component)], within, component)),
        choose: chooserOf({ filter: filters?.get(component), sort: null, form }, within),
      },
    ]),
  );
  return {
    name,
    stored: name,
    write(answer, cursor) {
      const componentOf = (at: number) => shown.get(String(readMember(cursor.bytes, at, SPELLED_COMPONENT)));
      const items = documentsAt(cursor).filter((at) => {
        const component = componentOf(at);
        return component && (component.choose?.([at], cursor).length ?? 1) > 0;
      });
      writeList(answer, items, (at) => componentOf(at)?.write(answer, cursor, at));
    },
  };
}

function itemWriter(
  selection: SelectedFields,
  steps: readonly Step[],
  within: Within,
  component?: string,
): ObjectWriter {
  const { options } = within;
  const id = schemaAttribute(selection.model, 'id');
  const members = [...selectionMembers(selection, steps, within)];
  if (options.componentIds && id?.kind === 'scalar') members.unshift(attributeMember(id));
  if (component !== undefined) {
    const text = JSON.stringify(component);
    members.push({ name: COMPONENT, stored: null, write: ({ out }) => out.text(text) });
  }
  return objectWriter(members);
}
