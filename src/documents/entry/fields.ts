import { type ApiError, errors } from '../../errors.js';
import type { Attribute } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import type { ItemsAttribute } from '../plan/items.js';
import { type LinkAttribute, NONE } from '../plan/relation-input.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { applyLinks, type LinkTools } from '../relations/apply-links.js';
import { readLinks, withLinks } from '../relations/stored-links.js';
import { importedFields } from './copy.js';
import { originalOf } from './original.js';

/** What building an entry needs besides the plan. */
export interface EntryTools extends LinkTools {
  /** The next id for a new component item. */
  nextId(): number;
  /** Ids in the data refer to items of the stored entry; on create they are ignored. */
  readonly keepIds: boolean;
}

/**
 * The stored attributes of an entry or component item after a write. `planned` has been validated; `current`
 * is the stored form, null if new. Attributes that the plan does not mention are kept. Inverse sides of
 * relations are not stored and are skipped.
 */
export function buildFields(planned: PlannedEntry, current: Entry | null, tools: EntryTools): Entry {
  const { model, values, items } = planned;
  let entry: Entry = current && '_links' in current ? { _links: current['_links'] } : {};
  for (const attribute of model.attributes.values()) {
    if (attribute.system || !isStored(attribute)) continue;
    const { name } = attribute;
    const given = values[name];
    const stored = current?.[name];
    if (attribute.kind === 'relation' || attribute.kind === 'media')
      entry = linked(entry, { planned, attribute, current }, tools);
    else if (given === undefined) entry[name] = stored ?? emptyValue(attribute);
    else if (attribute.kind === 'scalar') entry[name] = given;
    else {
      const list = items.get(name) ?? [];
      const single = attribute.kind === 'component' && !attribute.many;
      entry[name] = (single ? buildComponent : buildList)(attribute, list, stored, tools);
    }
  }
  return entry;
}

interface Linking {
  readonly planned: PlannedEntry;
  readonly attribute: LinkAttribute;
  readonly current: Entry | null;
}

/** `entry` with the links of one attribute as they are after the write. */
function linked(entry: Entry, { planned, attribute, current }: Linking, tools: EntryTools): Entry {
  const { path, links } = planned;
  const { name } = attribute;
  const input = links.get(name) ?? NONE;
  if (input.kind === 'none' && path.length === 0 && current && isAsStored(attribute, current[name])) {
    entry[name] = current[name];
    return entry;
  }
  return withLinks(
    entry,
    attribute,
    applyLinks(attribute, readLinks(current ?? {}, attribute), input, tools),
  );
}

/** Whether a stored value already has the form in which it would be written, so that it can be copied. */
const isAsStored = ({ many }: LinkAttribute, stored: unknown): boolean =>
  many
    ? Array.isArray(stored) && stored.every((reference) => typeof reference === 'string')
    : typeof stored === 'string' || stored === null;

/** False for the inverse side of a two-way relation, which is computed. */
const isStored = (attribute: Attribute): boolean => attribute.kind !== 'relation' || attribute.owner;

export const emptyValue = (attribute: Attribute): unknown =>
  attribute.kind === 'zone' || (attribute.kind !== 'scalar' && attribute.many) ? [] : null;

/** A single component after a write; null removes it. An item without an id replaces the stored one. */
function buildComponent(
  attribute: ItemsAttribute,
  [given]: readonly PlannedEntry[],
  stored: unknown,
  tools: EntryTools,
): Entry | null {
  if (!given) return null;
  return buildItem(given, itemFinder(attribute, isObject(stored) ? [stored] : []), tools);
}

/**
 * A repeatable component or dynamic zone after a write: the given list, in which items with an id update the
 * stored ones.
 */
function buildList(
  attribute: ItemsAttribute,
  given: readonly PlannedEntry[],
  stored: unknown,
  tools: EntryTools,
): Entry[] {
  const find = itemFinder(attribute, Array.isArray(stored) ? stored.filter(isObject) : []);
  return given.map((item) => buildItem(item, find, tools));
}

function buildItem(given: PlannedEntry, find: (values: Entry) => Entry | null, tools: EntryTools): Entry {
  const current = tools.keepIds ? find(given.values) : originalOf(given.given);
  const { __component: component } = given.values;
  return {
    ...(component !== undefined && { __component: component }),
    id: current && tools.keepIds ? current['id'] : tools.nextId(),
    ...importedFields(current),
    ...buildFields(given, current, tools),
  };
}

/**
 * Finds the stored item that has the id of a given one, each at most once; null for an item without an id. `id: null`
 * is one that no item has.
 */
function itemFinder(attribute: ItemsAttribute, present: readonly Entry[]): (given: Entry) => Entry | null {
  const used = new Set<string>();
  return (given) => {
    if (given['id'] === undefined) return null;
    const id = String(given['id']);
    const found = present.find(
      (item) => String(item['id']) === id && item['__component'] === given['__component'],
    );
    if (!found || used.has(id)) throw notRelated(attribute);
    used.add(id);
    return found;
  };
}

/** For a zone the error has another name and no `details`. */
function notRelated(attribute: ItemsAttribute): ApiError {
  const message = `Some of the provided components in ${attribute.name} are not related to the entity`;
  return attribute.kind === 'zone'
    ? errors.bare('component-not-of-entry', message)
    : errors.application('component-not-of-entry', message);
}
