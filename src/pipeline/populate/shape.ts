/**
 * Converts rows of adopted collections to entries with the plan's names: attributes by name, `_id` as
 * `documentId` and `id`, values in their JSON form, references as the text that identifies their target.
 * Reads without adopted collections need no conversion.
 */

import { schemaAttribute } from '../../query/attributes.js';
import type {
  ComponentSelection,
  Condition,
  RelationTarget,
  SelectedFields,
  SortKey,
} from '../../query/read-plan.js';
import { documentPath } from '../../schema/stored/paths.js';
import type { ContentType, ScalarAttribute } from '../../schema/types.js';
import { isStoredDocument } from '../../values/bson.js';
import { jsonForm, keyText } from '../../values/json-form.js';
import { valueAt } from '../../values/path.js';
import { isObject } from '../../values/plain-object.js';
import { mergeRows, PLACE } from '../sources/merge.js';
import { hasSeveralSources } from '../sources/sources-of.js';
import { type Doc, documentsOf, type Shape, type Step } from '../types.js';
import { isReferring } from './keys.js';
import { type PopulateField, populateFieldsOf } from './populate-fields.js';
import { countsInDatabase } from './project.js';

type Row = Record<string, unknown>;
/** Copies one part of `row` to `shaped`. */
type Part = (shaped: Row, row: Doc) => void;

/** Null if the rows need no conversion. */
export function shapeOf(selection: SelectedFields, type: ContentType): Shape | null {
  const parts = entryParts(selection, type);
  if (type.storage === null) return parts.length === 0 ? null : copying(parts);
  return (row) => {
    const key = keyText(row['_id']);
    const shaped: Row = { id: key, documentId: key };
    for (const part of parts) part(shaped, row);
    return shaped;
  };
}

const copying =
  (parts: readonly Part[]): Shape =>
  (row) => {
    const shaped = { ...row };
    for (const part of parts) part(shaped, row);
    return shaped;
  };

function entryParts(selection: SelectedFields, type: ContentType): readonly Part[] {
  const populates = [...populateFieldsOf(selection).values()];
  return [
    ...(type.storage ? modelParts(selection) : []),
    ...populates.flatMap((populate) => populateParts(populate, type)),
  ];
}

/** The scalars and components of an adopted model. */
function modelParts(selection: SelectedFields): readonly Part[] {
  return [
    ...selection.scalars.flatMap((attribute) =>
      attribute.key && attribute.stored === '_id' ? [] : [scalarPart(attribute)],
    ),
    ...selection.components.map(componentPart),
  ];
}

function scalarPart(attribute: ScalarAttribute): Part {
  const { name, stored } = attribute;
  const form = scalarForm(attribute);
  return (shaped, row) => {
    shaped[name] = form(valueAt(row, stored));
  };
}

/** Converts a stored value to its response form. */
export type Form = (value: unknown) => unknown;

/** Whether the value is shown as text: keys and big integers. */
export const isText = ({ key, type }: Pick<ScalarAttribute, 'key' | 'type'>): boolean =>
  key !== undefined || type === 'biginteger';

export const scalarForm = (attribute: ScalarAttribute): Form => (isText(attribute) ? textForm : jsonForm);

export const textForm: Form = (value) => (value === undefined || value === null ? null : asText(value));

const asText = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((each) => (each === null ? null : keyText(each))) : keyText(value);

function componentPart(component: ComponentSelection): Part {
  const { name, stored } = component.attribute;
  const form = componentForm(component);
  return (shaped, row) => {
    shaped[name] = form(valueAt(row, stored));
  };
}

/** A single document or a list, as the schema says; values other than documents are left out. */
export function componentForm({ attribute, selection, filter, sort }: ComponentSelection): Form {
  const id = schemaAttribute(selection.model, 'id');
  const parts = [
    ...(id?.kind === 'scalar' ? [scalarPart(id)] : []),
    ...modelParts(selection),
    ...testedParts(filter, sort),
    ...selection.relations.map(({ attribute: relation }) => referencePart(relation.name, relation.stored)),
  ];
  const item = (value: Doc): Doc => {
    const shaped: Row = {};
    for (const part of parts) part(shaped, value);
    return shaped;
  };
  return (value) => {
    const items = [value].flat().filter(isStoredDocument);
    return attribute.many ? items.map(item) : items[0] ? item(items[0]) : null;
  };
}

/** The attributes by which items are filtered and sorted, even if they are not selected. */
function testedParts(
  filter: Condition | undefined,
  sort: readonly SortKey[] | null | undefined,
): readonly Part[] {
  const parts: Part[] = [];
  if (filter) collect(filter);
  for (const { via, attribute } of sort ?? []) {
    if (via.length === 0) parts.push(scalarPart(attribute));
    else addHop(via[0]);
  }
  return parts;

  function collect(condition: Condition): void {
    if ('of' in condition) condition.of.forEach(collect);
    else if (condition.kind === 'test') parts.push(scalarPart(condition.attribute));
    else if (condition.kind === 'some') addHop(condition.via, condition.where);
  }
  function addHop(hop: SortKey['via'][number] | undefined, where?: Condition): void {
    if (hop?.kind === 'relation') parts.push(referencePart(hop.attribute.name, hop.attribute.stored));
    if (hop?.kind !== 'component') return;
    const rest = sort?.flatMap((key) => (key.via[0] === hop ? [{ ...key, via: key.via.slice(1) }] : []));
    const inner = { model: hop.target, scalars: [], components: [], zones: [], relations: [] };
    const part = componentPart({
      attribute: hop.attribute,
      selection: inner,
      sort: rest ?? null,
      ...(where && { filter: where }),
    });
    parts.push((shaped, row) => {
      const before = shaped[hop.attribute.name];
      part(shaped, row);
      shaped[hop.attribute.name] = merged(before, shaped[hop.attribute.name]);
    });
  }
}

/** Merges two conversions of the same items. */
function merged(before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(after))
    return before.map((item: Doc, at) => ({ ...item, ...after[at] }));
  return before && after ? { ...before, ...after } : after;
}

const referencePart =
  (name: string, stored: string): Part =>
  (shaped, row) => {
    const value = valueAt(row, stored);
    if (value !== undefined) shaped[name] = textForm(value);
  };

/** The rows of a populated path, and the references that determine their places. */
function populateParts(populate: PopulateField, type: ContentType): readonly Part[] {
  const { relation, fields, lookups, steps } = populate;
  const parts: Part[] = [];
  if (refersByText(populate, type)) {
    const { name, stored } = relation.attribute;
    if (steps.length === 0) parts.push(referencePart(name, stored));
    else if (!type.storage)
      parts.push((shaped) => {
        Object.assign(shaped, withTexts(shaped, steps, name));
      });
  }
  for (const [index, target] of relation.targets.entries()) {
    const field = fields[index] ?? '';
    const from = lookups[index] ?? [];
    const shape = countsInDatabase(populate) ? null : targetShape(populate, target, type);
    if (shape || type.storage)
      parts.push((shaped, row) => {
        const rows = from.flatMap((lookup) => documentsOf(row[lookup.field]));
        const all = shape ? rows.map(shape) : rows;
        shaped[field] = from.length > 1 ? mergeRows(all) : all;
      });
  }
  return parts;
}

/** Whether references are compared as text, because one side is adopted. */
export const refersByText = (populate: PopulateField, type: ContentType): boolean =>
  isReferring(populate) &&
  populate.kind !== 'morph' &&
  (type.storage !== null || populate.relation.targets.some(({ target }) => target.storage !== null));

/** A field that determines the place of a target, if it is derived from another stored field. */
interface PlacedBy {
  readonly name: string;
  readonly stored: string;
  readonly form: Form;
}

export function placedBy(populate: PopulateField, target: ContentType, type: ContentType): PlacedBy | null {
  const { attribute } = populate.relation;
  const { foreign } = attribute.link;
  if (isReferring(populate) && target.storage)
    return foreign === documentPath(target) ? null : { name: '_key', stored: foreign, form: asText };
  // Rows of Mangrove's own that refer to an adopted document are ordered by their references to it.
  if (populate.kind !== 'inverse' || !type.storage || target.storage) return null;
  const owner = attribute.kind === 'relation' ? (attribute.mappedBy ?? '') : '';
  return { name: owner, stored: foreign, form: (value) => (value === undefined ? value : textForm(value)) };
}

/** Null if the rows need no conversion. */
export function targetShape(populate: PopulateField, of: RelationTarget, type: ContentType): Shape | null {
  const { target, selection } = of;
  const shape = placing(shapeOf(selection, target), of);
  const placed = placedBy(populate, target, type);
  if (!placed) return shape;
  const { name, stored, form } = placed;
  return (row) => ({ ...(shape ? shape(row) : row), [name]: form(valueAt(row, stored)) });
}

const placing = (shape: Shape | null, target: RelationTarget): Shape | null =>
  shape && hasSeveralSources(target) ? (row) => ({ ...shape(row), [PLACE]: row[PLACE] }) : shape;

/** Converts the references to adopted documents in Mangrove's own component items at `steps` to text. */
export function withTexts(value: unknown, steps: readonly Step[], name: string): unknown {
  if (Array.isArray(value)) return value.map((item) => withTexts(item, steps, name));
  if (!isObject(value)) return value;
  const [step, ...rest] = steps;
  if (!step) return name in value && value[name] !== null ? { ...value, [name]: asText(value[name]) } : value;
  return step.name in value ? { ...value, [step.name]: withTexts(value[step.name], rest, name) } : value;
}
