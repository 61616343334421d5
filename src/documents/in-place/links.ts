/** References in adopted collections: each equals the value of some field of the target, often the key. */

import { DBRef, type Document, type ObjectId } from 'bson';
import { allForms } from '../../schema/stored/key-forms.js';
import type { Model, Schema } from '../../schema/types.js';
import type { AdoptedDocuments } from '../../store/adopted/in-place.js';
import { isAbsent, presentIn } from '../../values/absent.js';
import { isDbRef, isStoredDocument } from '../../values/bson.js';
import { keyText } from '../../values/json-form.js';
import { valueAt } from '../../values/path.js';
import { type Link, type LinkAttribute, type RelationInput, targetUid } from '../plan/relation-input.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { type ConnectTarget, connectInOrder, resolvePosition } from '../relations/order.js';
import type { Resolved } from '../resolve/targets.js';

/**
 * The stored value for each linked target, by attribute, for relations that refer to a field other than the
 * key.
 */
export type ReferredValues = ReadonlyMap<LinkAttribute, ReadonlyMap<string, unknown>>;

export async function referredValues(
  adopted: AdoptedDocuments,
  schema: Schema,
  entries: readonly PlannedEntry[],
  resolved: Resolved,
): Promise<ReferredValues> {
  const values = new Map<LinkAttribute, ReadonlyMap<string, unknown>>();
  for (const { model, links } of entries)
    for (const [name, input] of links) {
      const attribute = model.attributes.get(name);
      if (attribute?.kind !== 'relation' || isKey(attribute)) continue;
      const uid = targetUid(attribute, null);
      const target = schema.contentTypes.get(uid);
      const ids = linksOf(input).flatMap((link) => resolved.reference(uid, link) ?? []);
      if (!target || ids.length === 0) continue;
      const rows = await adopted.readPath(target, ids, attribute.link.foreign);
      values.set(
        attribute,
        new Map(rows.map((row) => [keyText(row['_id']), valueAt(row, attribute.link.foreign)])),
      );
    }
  return values;
}

/** The stored references that no response shows, since there is no such target: their texts, by attribute. */
export type HiddenReferences = ReadonlyMap<LinkAttribute, ReadonlySet<string>>;

/** Finds those of the relations that the plan sets. */
export async function hiddenReferences(
  adopted: AdoptedDocuments,
  schema: Schema,
  entries: readonly PlannedEntry[],
  stored: Document | null,
): Promise<HiddenReferences> {
  const hidden = new Map<LinkAttribute, ReadonlySet<string>>();
  const [root] = entries;
  if (stored === null || !root) return hidden;
  const set = new Set(
    entries.flatMap(({ model, links }) =>
      [...links].flatMap(([name, { kind }]) => (kind === 'set' ? (model.attributes.get(name) ?? []) : [])),
    ),
  );
  const found = new Map<LinkAttribute, unknown[]>();
  const gather = (model: Model, document: Document): void => {
    for (const attribute of model.attributes.values()) {
      const value = valueAt(document, attribute.stored);
      if (attribute.kind === 'component') {
        const inner = schema.components.get(attribute.component);
        if (inner) for (const item of [value].flat().filter(isStoredDocument)) gather(inner, item);
      } else if ((attribute.kind === 'relation' || attribute.kind === 'media') && set.has(attribute))
        found.set(attribute, [...(found.get(attribute) ?? []), ...presentIn(value)]);
    }
  };
  gather(root.model, stored);
  for (const [attribute, values] of found) {
    const target = schema.contentTypes.get(targetUid(attribute, null));
    if (!target || values.length === 0) continue;
    const { foreign, texts = false } = attribute.link;
    const present = await adopted.present(target, foreign, texts ? values.flatMap(allForms) : values);
    hidden.set(attribute, new Set(values.map(keyText).filter((text) => !present.has(text))));
  }
  return hidden;
}

const isKey = ({ link }: LinkAttribute): boolean => link.foreign === '_id' || link.foreign === 'documentId';

const linksOf = (input: RelationInput): readonly Link[] =>
  input.kind === 'set' ? input.links : input.kind === 'change' ? [...input.connect, ...input.disconnect] : [];

/** The value at the path after the write: a single value, a list, or undefined if nothing is left. */
export function referencesAfter(
  attribute: LinkAttribute,
  stored: unknown,
  input: RelationInput,
  {
    resolved,
    referred,
    hidden,
  }: { readonly resolved: Resolved; readonly referred: ReferredValues; readonly hidden: HiddenReferences },
): unknown {
  const uid = targetUid(attribute, null);
  const current = presentIn(stored);
  // As text, unless the stored value has another type.
  const asText = attribute.link.texts === true && (current.length === 0 || typeof current[0] === 'string');
  const referredTo = (link: Link): unknown => {
    const value = isKey(attribute)
      ? resolved.reference(uid, link)
      : referred.get(attribute)?.get(resolved.documentId(uid, link) ?? '');
    return asText && !isAbsent(value) ? keyText(value) : value;
  };
  if (input.kind === 'set') {
    const named = distinct(presentIn(input.links.map(referredTo)));
    const texts = hidden.get(attribute);
    const shown = distinct(current.filter((value) => !texts?.has(keyText(value))));
    const given = attribute.many ? named : named.slice(-1);
    if (isSameList(given, attribute.many ? shown : shown.slice(0, 1))) return stored;
    if (!attribute.many) return given[0];
    const after = [...given];
    // What no response shows stays in its place.
    for (const [index, value] of current.entries())
      if (texts?.has(keyText(value))) after.splice(index, 0, value);
    return after;
  }
  if (input.kind !== 'change') return stored;
  const connect = input.connect
    .map((link) => ({ link, value: referredTo(link) }))
    .filter(({ value }) => !isAbsent(value));
  const connected = new Set(connect.map(({ value }) => keyText(value)));
  const dropped = new Set(input.disconnect.map((link) => keyText(referredTo(link) ?? null)));
  const kept = current.filter((value) => connected.has(keyText(value)) || !dropped.has(keyText(value)));
  if (!attribute.many) return connect.length > 0 ? connect[0]?.value : kept[0];
  const byKey = new Map(
    [...kept, ...connect.map(({ value }) => value)].map((value) => [keyText(value), value]),
  );
  const places = connect.map(({ link, value }): ConnectTarget => {
    const place = resolvePosition(link.position, (named) => ({
      anchor: keyText(referredTo({ ...link, ...named }) ?? null),
      anchorId: 0,
    }));
    return { key: keyText(value), id: 0, place };
  });
  return connectInOrder(kept.map(keyText), places, input.strict).map((key) => byKey.get(key));
}

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((value, index) => keyText(value) === keyText(other[index]));

const distinct = (values: readonly unknown[]): readonly unknown[] => [
  ...new Map(values.map((value) => [keyText(value), value])).values(),
];

/** The DBRefs (`{ $ref, $id }`) for these keys; stored ones that stay are reused. */
export function dbRefsFor(keys: unknown, stored: unknown, collection: string): unknown {
  const present = new Map(
    [stored]
      .flat()
      .filter(isDbRef)
      .map((each) => [keyText(each.oid), each]),
  );
  // An `_id` of any type can be referred to, although the class only declares ObjectId.
  const refer = (key: unknown): DBRef => present.get(keyText(key)) ?? new DBRef(collection, key as ObjectId);
  if (Array.isArray(keys)) return keys.map(refer);
  return keys === null || keys === undefined ? keys : refer(keys);
}
