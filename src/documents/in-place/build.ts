/**
 * Turns a planned write into the paths that it changes in an adopted document; all other paths stay
 * unchanged.
 */
import { type Document, ObjectId } from 'bson';
import { errors } from '../../errors.js';
import { dbRefPath } from '../../schema/stored/paths.js';
import type { Attribute } from '../../schema/types.js';
import { isStoredDocument, membersOf } from '../../values/bson.js';
import { keyText } from '../../values/json-form.js';
import { isPosition, valueAt } from '../../values/path.js';
import { copyOf } from '../../values/plain-object.js';
import { NONE } from '../plan/relation-input.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import type { Resolved } from '../resolve/targets.js';
import { dbRefsFor, type HiddenReferences, type ReferredValues, referencesAfter } from './links.js';
import { givenId, identityOf, type ModelOf, storedItems } from './stored-items.js';
import { nativeValue } from './values.js';

export interface InPlaceTools {
  readonly resolved: Resolved;
  readonly referred: ReferredValues;
  readonly hidden: HiddenReferences;
  readonly modelOf: ModelOf;
  /** The name of a content type's collection. */
  readonly collectionOf: (uid: string) => string;
}

interface PathChanges {
  readonly set: Record<string, unknown>;
  readonly unset: string[];
  /** The values that the changes were computed from, by path; the update requires them unchanged. */
  readonly compared: Map<string, unknown>;
}

/** The paths of a stored document that a plan changes; null: of a new document, which also gets the defaults. */
export function changesOf(plan: PlannedEntry, stored: Document | null, tools: InPlaceTools): PathChanges {
  const changes: PathChanges = { set: {}, unset: [], compared: new Map() };
  addChanges(plan, { stored: stored ?? {}, isNew: stored === null, prefix: '' }, changes, tools);
  return changes;
}

interface At {
  /** The document or subdocument. */
  readonly stored: Document;
  readonly isNew: boolean;
  /** Its path, empty or ending with a dot. */
  readonly prefix: string;
}

function addChanges(
  plan: PlannedEntry,
  { stored, isNew, prefix }: At,
  changes: PathChanges,
  tools: InPlaceTools,
): void {
  for (const [name, given] of Object.entries(plan.values)) {
    const attribute = plan.model.attributes.get(name);
    if (!attribute || attribute.system || given === undefined) continue;
    if (!isNew && plan.given[name] === undefined) continue;
    checkOwner(attribute, plan);
    const path = `${prefix}${attribute.stored}`;
    const before = valueAt(stored, attribute.stored);
    if (attribute.kind === 'component' && !attribute.many && isStoredDocument(before)) {
      const [inner] = plan.items.get(name) ?? [];
      if (inner) addChanges(inner, { stored: before, isNew: false, prefix: `${path}.` }, changes, tools);
      else put(path, null, changes);
      continue;
    }
    const value = valueAfter(plan, attribute, before, tools);
    if (value === before) continue;
    const place = attribute.kind === 'relation' ? dbRefPath(attribute.stored) : null;
    if (attribute.kind === 'relation' && place !== null) {
      const refs = valueAt(stored, place);
      if (attribute.many) changes.compared.set(`${prefix}${place}`, refs);
      put(`${prefix}${place}`, dbRefsFor(value, refs, tools.collectionOf(attribute.target ?? '')), changes);
      continue;
    }
    // A list is written as a whole, which would lose what another program has added to it since.
    if (attribute.kind !== 'scalar' && attribute.kind !== 'zone' && (attribute.many || Array.isArray(before)))
      changes.compared.set(path, before);
    // A missing list of items or references already reads as empty; of values, as null.
    const isEmpty = attribute.kind !== 'scalar' && Array.isArray(value) && value.length === 0;
    if (!(before === undefined && isEmpty)) put(path, value, changes);
  }
}

/**
 * Null removes the field: missing fields read as null, and validators tend to allow a missing field rather
 * than null.
 */
function put(path: string, value: unknown, { set, unset }: PathChanges): void {
  if (value === null || value === undefined) unset.push(path);
  else set[path] = value;
}

/** The value at the path after the write: `before` itself if the body repeats what is stored. */
function valueAfter(plan: PlannedEntry, attribute: Attribute, before: unknown, tools: InPlaceTools): unknown {
  const { name } = attribute;
  const value = plan.values[name];
  switch (attribute.kind) {
    case 'scalar':
      return nativeValue(attribute, { given: plan.given[name], value }, before);
    case 'relation':
    case 'media': {
      const after = referencesAfter(attribute, before, plan.links.get(name) ?? NONE, tools);
      return namesSame(after, before) ? before : after;
    }
    case 'component': {
      const items = plan.items.get(name) ?? [];
      if (!attribute.many) return itemAfter(items[0], before, tools);
      return value === null ? null : itemsAfter(items, before, tools);
    }
    case 'zone':
      return before;
  }
}

/** Whether two values are the same references in the same order, in whatever BSON types. */
function namesSame(one: unknown, other: unknown): boolean {
  const [keys, others] = [one, other].map((value) => [value].flat().map((each) => keyText(each ?? null)));
  return JSON.stringify(keys) === JSON.stringify(others);
}

/** A single component, of which a list is stored, or nothing that is a document: a list shows its first document. */
function itemAfter(item: PlannedEntry | undefined, before: unknown, tools: InPlaceTools): unknown {
  const first = Array.isArray(before) ? before.find(isStoredDocument) : undefined;
  if (!item) return first || before === undefined ? null : before;
  if (!Array.isArray(before) || !first) return documentOf(item, null, tools);
  const after = itemOf(item, first, tools);
  return after === first ? before : before.with(before.indexOf(first), after);
}

/**
 * Items that name a stored one change it and keep the fields unknown to the schema. Without an id, an item that
 * repeats a stored one is that one, and the others are new. Members that are not documents, which no response
 * shows, stay in their places.
 */
function itemsAfter(items: readonly PlannedEntry[], before: unknown, tools: InPlaceTools): unknown {
  const list: readonly unknown[] = Array.isArray(before) ? before : [before ?? []].flat();
  const present = storedItems(list.filter(isStoredDocument), tools.modelOf);
  const after: unknown[] = items.map((item) => {
    const stored = present.of(item);
    if (!stored && givenId(item) !== null) throw notOfEntry(item);
    if (stored) return itemOf(item, stored, tools);
    const made = documentOf(item, null, tools);
    return identityOf(item) === '_id' ? { _id: new ObjectId(), ...made } : made;
  });
  for (const [index, member] of list.entries()) if (!isStoredDocument(member)) after.splice(index, 0, member);
  return after.length === list.length && after.every((each, index) => each === list[index]) ? before : after;
}

const notOfEntry = ({ path }: PlannedEntry) =>
  errors.bare(
    'component-not-of-entry',
    `Some of the provided components in ${path[0] ?? ''} are not related to the entity`,
  );

/** A whole document: a copy of the stored one with the changes of the plan applied, or a new one. */
export const documentOf = (plan: PlannedEntry, stored: Document | null, tools: InPlaceTools): Document =>
  applied(changesOf(plan, stored, tools), stored ?? {});

/** An item with the changes of the plan applied; `stored` itself if there are none. */
function itemOf(plan: PlannedEntry, stored: Document, tools: InPlaceTools): Document {
  const changes = changesOf(plan, stored, tools);
  const isSame = Object.keys(changes.set).length === 0 && changes.unset.length === 0;
  return isSame ? stored : applied(changes, stored);
}

function applied({ set, unset }: PathChanges, stored: Document): Document {
  const copy = copyOf(membersOf(stored));
  placeAll(copy, set);
  for (const path of unset) remove(copy, path.split('.'));
  return copy;
}

export function place(document: Document, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    document[first] = value;
    return;
  }
  const into = wayOn(document[first], rest) ?? {};
  document[first] = into;
  place(into, rest, value);
}

/** What the rest of a path continues in: a document, or a list at a position; null if it does not. */
function wayOn(value: unknown, [next]: readonly string[]): Document | null {
  if (isStoredDocument(value)) return membersOf(value);
  return Array.isArray(value) && isPosition(next) ? value : null;
}

/** Sets values by their dotted paths. */
export function placeAll(document: Document, values: Document): void {
  for (const [path, value] of Object.entries(values)) place(document, path.split('.'), value);
}

export function remove(document: Document, [first = '', ...rest]: readonly string[]): void {
  if (rest.length > 0) {
    const into = wayOn(document[first], rest);
    if (into === null) return;
    document[first] = into;
    remove(into, rest);
  } else if (Array.isArray(document)) document[Number(first)] = null;
  else delete document[first];
}

/** The inverse side of a relation must be written through the type that stores it. */
function checkOwner(attribute: Attribute, plan: PlannedEntry): void {
  const input = attribute.kind === 'relation' ? plan.links.get(attribute.name) : undefined;
  if (attribute.kind !== 'relation' || attribute.owner || !input || input.kind === 'none') return;
  throw errors.validation(
    'relation-not-stored-here',
    `${attribute.name} is stored in ${attribute.target}: write ${attribute.mappedBy} there`,
    { key: attribute.name, path: [...plan.path, attribute.name].join('.'), source: 'body' },
  );
}
