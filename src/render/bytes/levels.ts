/**
 * The writers of a plan: one for each level of entries (the page, the targets of a path) and their component
 * items. They do with bytes what render/compile does with objects, and leave rare cases to it.
 */
import type { Buffer } from 'node:buffer';
import { PLACE } from '../../pipeline/filters/versions.js';
import { type PopulateField, placeOf, populateFieldsOf } from '../../pipeline/populate/populate-fields.js';
import { countsInDatabase } from '../../pipeline/populate/project.js';
import { componentForm, type Form, isInTwo, placedBy } from '../../pipeline/populate/shape.js';
import { stepInto } from '../../pipeline/step.js';
import type { Step } from '../../pipeline/types.js';
import { attributeBehind } from '../../query/attributes.js';
import type { ComponentSelection, Selection, ZoneSelection } from '../../query/read-plan.js';
import { SCALARS } from '../../schema/scalars/index.js';
import type { ContentType, ScalarAttribute, ScalarType } from '../../schema/types.js';
import { eachMember, TYPE, valueAt } from '../../values/bson-bytes.js';
import { once } from '../../values/once-per.js';
import { items, type Options, showOf, zone } from '../compile.js';
import type { Placing as PlacingItems } from '../projector.js';
import { adoptedMember, adoptedReads, isAdoptedItem, keyMember, textsIn } from './adopted.js';
import { type Answer, type Member, type ObjectWriter, objectWriter, type Spot } from './object.js';
import { CLOSE, CLOSE_LIST, COMMA, NULL, OPEN_LIST } from './output.js';
import { memberAt, readerAt } from './paths.js';
import { type Inside, type Level, relationMember } from './relations.js';
import { type Read, type Reads, readMember, rowClass, rowsAt, spell } from './rows.js';
import { type Convert, valueWriter } from './values.js';

/** @param placing members that assign these rows to the rows above them */
export function levelOf(
  selection: Selection,
  type: ContentType,
  options: Options,
  placing: Placing = NOWHERE,
): Level {
  const sides = populateFieldsOf(selection);
  const levels = levelsBelow([...sides.values()], type, options);
  const below = (field: string): Level | undefined => levels.get(field)?.();
  const within: Inside = { type, sides, options, below };
  const lists = new Map([...levels].map(([field, level]) => [field, sideRows(field, level)]));
  const reads: Reads = new Map([
    ...lists,
    ...adoptedReads(selection, { type, sides, lists }),
    ...placing.reads,
  ]);
  const fields = [...sides.values()].flatMap((side) => side.fields);
  const rows = once(() =>
    rowClass([...(type.storage ? reads.keys() : namesOf(selection)), ...placing.names, ...fields]),
  );
  const attributes = selectionMembers(selection, [], within);
  const named: readonly Member[] = type.storage
    ? [keyMember('id'), keyMember('documentId')]
    : [
        scalarMember('id', 'integer', SCALARS.integer.show?.(options)),
        scalarMember('documentId', 'string', undefined),
      ];
  return {
    rowAt: (bytes, start) => new (rows())(bytes, start, reads),
    below,
    write: objectWriter(
      options.v4 ? [...named, enclosed('attributes', attributes)] : [...named, ...attributes],
    ),
  };
}

/** Levels by their populate field, each compiled when its first row is read. */
const levelsBelow = (
  sides: readonly PopulateField[],
  type: ContentType,
  options: Options,
): ReadonlyMap<string, () => Level> =>
  new Map(
    sides
      .filter((side) => side.kind !== 'tested' && !countsInDatabase(side))
      .flatMap((side) =>
        side.relation.targets.map(({ selection, target }, index) => [
          side.fields[index] ?? '',
          once(() => levelOf(selection, target, options, placingIn(side, target, type))),
        ]),
      ),
  );

/** Members of a target that are needed to match it with the other side, or to order it. */
interface Placing {
  readonly names: readonly string[];
  readonly reads: Reads;
}

const NOWHERE: Placing = { names: [], reads: new Map() };

function placingIn(side: PopulateField, target: ContentType, type: ContentType): Placing {
  const placed = placedBy(side, target, type);
  return {
    names: target.storage ? (isInTwo(side) ? [PLACE] : []) : placingKeys(side),
    reads: new Map(placed ? [[placed.name, readerAt(placed.stored, placed.form)]] : []),
  };
}

const sideRows = (field: string, level: () => Level): Read => {
  const read = rowsAt((bytes, start) => level().rowAt(bytes, start));
  const name = spell(field);
  return (bytes, start) => readMember(bytes, start, name, read);
};

/** Members of a row that may be read: its own, and those that place its relations. */
const namesOf = ({ scalars, components, zones, relations }: Selection): readonly string[] => [
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

/** All members except an entry's `id` and `documentId` and an item's `id`; as in render/compile. */
function selectionMembers(selection: Selection, steps: readonly Step[], within: Inside): readonly Member[] {
  const { options } = within;
  return [
    ...selection.scalars
      .filter(({ name, system }) => !(system && (name === 'id' || name === 'documentId')))
      .map((attribute) => attributeMember(attribute, options)),
    ...selection.components.map((component) => componentMember(component, steps, within)),
    ...selection.zones.map((each) => zoneMember(each, steps, within)),
    ...selection.relations.flatMap(({ attribute }) => {
      const side = within.sides.get(placeOf(steps, attribute.name));
      return side ? [relationMember(side, steps, within)] : [];
    }),
  ];
}

const attributeMember = (attribute: ScalarAttribute, options: Options): Member =>
  attribute.adopted
    ? adoptedMember(attribute)
    : scalarMember(attribute.name, attribute.type, showOf(attribute, options));

function scalarMember(name: string, type: ScalarType, convert: Convert): Member {
  const writeValue = valueWriter(type, convert);
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

/** Renders through objects. */
const byObject =
  (place: () => PlacingItems, form: Form | null) =>
  (answer: Answer, { type, bytes, at, entry }: Spot): void => {
    const value = type < 0 ? null : (valueAt(type, bytes, at) ?? null);
    writeShown(answer, place()(form ? form(value) : value, entry));
  };

function writeShown({ out, meter }: Answer, shown: unknown): void {
  meter.add(shown);
  out.text(JSON.stringify(shown));
}

type WriteItem = (answer: Answer, spot: Spot, at: number) => boolean;

/** Whether a list item is a document, and not what represents one in adopted collections. */
type IsItem = (type: number, bytes: Buffer, at: number) => boolean;

const isDocument: IsItem = (type) => type === TYPE.document;

/**
 * Writes a list of documents, skipping those that `write` rejects. Returns false, with nothing written, if
 * the list contains anything else.
 */
function writeItems(answer: Answer, spot: Spot, write: WriteItem, isItem = isDocument): boolean {
  const { out, meter } = answer;
  const { at: begin } = out;
  const { rows } = meter;
  let plain = true;
  out.byte(OPEN_LIST);
  eachMember(spot.bytes, spot.at, (type, at) => {
    plain &&= isItem(type, spot.bytes, at);
    if (!plain) return;
    const before = out.at;
    if (before > begin + 1) out.byte(COMMA);
    if (!write(answer, spot, at)) out.at = before;
  });
  out.byte(CLOSE_LIST);
  if (plain) return true;
  out.at = begin;
  meter.rows = rows;
  return false;
}

const writing =
  (write: ObjectWriter) =>
  (answer: Answer, { entry, bytes }: Spot, at: number): true => {
    write(answer, entry, bytes, at);
    answer.out.byte(CLOSE);
    return true;
  };

function componentMember(component: ComponentSelection, steps: readonly Step[], within: Inside): Member {
  const { attribute, selection, filter, sort, count } = component;
  const { name, stored, many, adopted } = attribute;
  const inside = [...steps, stepInto(attribute)];
  const place = once(() => items(component, steps, within));
  const form = adopted ? componentForm(component) : textsIn(inside, within);
  const asObject = byObject(place, form);
  const isItem = adopted ? isAdoptedItem : isDocument;
  const writeItem = writing(itemWriter(selection, inside, within));
  const chosen = (filter && filter.kind !== 'always') || (sort && sort.length > 0) || count;
  const write: Member['write'] = chosen
    ? asObject
    : (answer, spot) => {
        const { type, bytes, at } = spot;
        if (many && type === TYPE.array && writeItems(answer, spot, writeItem, isItem)) return;
        if (!many && isItem(type, bytes, at)) writeItem(answer, spot, at);
        else asObject(answer, spot);
      };
  if (!adopted || !form) return { name, stored: name, write };
  return memberAt(name, stored, write, (answer, { entry }, value) =>
    writeShown(answer, place()(form(value), entry)),
  );
}

const COMPONENT = '__component';
const SPELLED_COMPONENT = spell(COMPONENT);

function zoneMember(selected: ZoneSelection, steps: readonly Step[], within: Inside): Member {
  const { attribute, on, filters } = selected;
  const { name } = attribute;
  const place = once(() => zone(selected, steps, within));
  const asObject = byObject(place, textsIn([...steps, stepInto(attribute)], within));
  if (filters && filters.size > 0) return { name, stored: name, write: asObject };
  const writers = new Map<unknown, WriteItem>();
  for (const [component, inner] of on)
    writers.set(
      component,
      writing(itemWriter(inner, [...steps, stepInto(attribute, component)], within, component)),
    );
  const writeItem: WriteItem = (answer, spot, at) =>
    writers.get(readMember(spot.bytes, at, SPELLED_COMPONENT))?.(answer, spot, at) ?? false;
  return {
    name,
    stored: name,
    write(answer, spot) {
      if (spot.type !== TYPE.array || !writeItems(answer, spot, writeItem)) asObject(answer, spot);
    },
  };
}

function itemWriter(
  selection: Selection,
  steps: readonly Step[],
  within: Inside,
  component?: string,
): ObjectWriter {
  const { options } = within;
  const id = attributeBehind(selection.model, 'id');
  const members = [...selectionMembers(selection, steps, within)];
  if (options.componentIds && id?.kind === 'scalar') members.unshift(attributeMember(id, options));
  if (component !== undefined) {
    const text = JSON.stringify(component);
    members.push({ name: COMPONENT, stored: null, write: ({ out }) => out.text(text) });
  }
  return objectWriter(members);
}
