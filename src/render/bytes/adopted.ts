/**
 * Reads and writes rows of adopted collections and references to them. The object form is in
 * pipeline/populate/shape.
 */
import type { PopulateField, PopulateFields } from '../../pipeline/populate/populate-fields.js';
import {
  componentForm,
  type Form,
  refersByText,
  scalarForm,
  targetShape,
  textForm,
  withTexts,
} from '../../pipeline/populate/shape.js';
import { mergeRows } from '../../pipeline/sources/merge.js';
import { stepInto } from '../../pipeline/step.js';
import { documentsOf, type Step } from '../../pipeline/types.js';
import type { SelectedFields } from '../../query/read-plan.js';
import type { ContentType, ScalarAttribute } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import type { Member } from './object.js';
import { NULL } from './output.js';
import { memberAt, readerAt } from './paths.js';
import type { Within } from './relations.js';
import type { Read, Reads } from './rows.js';
import { formWriter, writeKey } from './values.js';

/** `id` or `documentId` of an adopted document. */
export const keyMember = (name: string): Member => ({
  name,
  stored: '_id',
  write({ out }, { type, bytes, at }) {
    if (type < 0) out.text(JSON.stringify(keyText(undefined)));
    else writeKey(out, type, bytes, at);
  },
});

export function adoptedMember(attribute: ScalarAttribute): Member {
  const writeValue = formWriter(attribute);
  return memberAt(attribute.name, attribute.stored, ({ out }, { type, bytes, at }) => {
    if (type < 0) out.raw(NULL);
    else writeValue(out, type, bytes, at);
  });
}

type NamedRead = readonly [name: string, read: Read];

interface Rows {
  readonly type: ContentType;
  readonly populates: PopulateFields;
  /** How the rows in populate fields are read. */
  readonly lists: Reads;
}

/** The members that are not read as stored, if the row is from an adopted collection or refers to one. */
export const adoptedReads = (selection: SelectedFields, rows: Rows): readonly NamedRead[] => [
  ...(rows.type.storage ? readsOfAdopted(selection) : readsOfOwn(selection, rows)),
  ...[...rows.populates.values()].flatMap((populate) => populateReads(populate, rows)),
];

function readsOfAdopted({ scalars, components }: SelectedFields): readonly NamedRead[] {
  const key = readerAt('_id', keyText);
  return [
    ...scalars.map(
      (attribute) => [attribute.name, readerAt(attribute.stored, scalarForm(attribute))] as const,
    ),
    ...components.map(
      (component) =>
        [component.attribute.name, readerAt(component.attribute.stored, componentForm(component))] as const,
    ),
    ['id', key],
    ['documentId', key],
  ];
}

const readsOfOwn = ({ components, zones }: SelectedFields, within: Rows): readonly NamedRead[] =>
  [...components, ...zones].flatMap(({ attribute }) => {
    const form = textsIn([stepInto(attribute)], within);
    return form ? [[attribute.name, readerAt(attribute.name, form)] as const] : [];
  });

/**
 * Converts references to adopted documents inside our component items to text; null if the items at `steps`
 * have none.
 */
export function textsIn(
  steps: readonly Step[],
  { type, populates }: Pick<Within, 'type' | 'populates'>,
): Form | null {
  if (type.storage) return null;
  const inside = [...populates.values()].filter(
    (populate) =>
      steps.every(({ name }, at) => populate.steps[at]?.name === name) && refersByText(populate, type),
  );
  if (inside.length === 0) return null;
  return (value) =>
    inside.reduce(
      (items, populate) =>
        withTexts(items, populate.steps.slice(steps.length), populate.relation.attribute.name),
      value,
    );
}

/** References, and rows that are not simply the list in their populate field. */
function populateReads(populate: PopulateField, { type, lists }: Rows): readonly NamedRead[] {
  const { relation, fields, lookups, kind, steps } = populate;
  const { name, stored } = relation.attribute;
  const reads: NamedRead[] = [];
  if (refersByText(populate, type) && steps.length === 0) reads.push([name, readerAt(stored, textForm)]);
  for (const [index, target] of relation.targets.entries()) {
    const from = lookups[index] ?? [];
    const shape = kind === 'tested' ? targetShape(populate, target, type) : null;
    if (!shape && from.length === 1) continue;
    const parts = from.map(({ field }) =>
      shape ? readerAt(field, (rows) => documentsOf(rows).map(shape)) : lists.get(field),
    );
    const rows: Read = (bytes, start) =>
      mergeRows(parts.flatMap((read) => documentsOf(read?.(bytes, start))));
    reads.push([fields[index] ?? '', rows]);
  }
  return reads;
}
