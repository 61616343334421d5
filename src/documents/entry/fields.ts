import { type ApiError, errors } from '../../errors.js';
import type { Attribute } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import type { ItemsAttribute } from '../plan/items.js';
import { type LinkAttribute, NONE } from '../plan/relation-input.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { applyLinks, type LinkTools } from '../relations/apply-links.js';
import { readLinks, withLinks } from '../relations/stored-links.js';
import { keptBeside } from './copy.js';

/** What building an entry draws on besides the plan. */
export interface BuildTools extends LinkTools {
  /** The next id for a component item. */
  nextId(): number;
  /** Ids in the data name items of `current`; on create they are ignored (rules E.7). */
  readonly keepIds: boolean;
}

/**
 * The own attributes of an entry or component item after a write: `planned` is checked, `current` is what is stored (null for something
 * new). Attributes that the plan does not name stay. Inverse sides are not stored and not looked at here.
 */
export function buildFields(planned: PlannedEntry, current: Entry | null, tools: BuildTools): Entry {
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

/** `entry` with the connections of one attribute after the write. */
function linked(entry: Entry, { planned, attribute, current }: Linking, tools: BuildTools): Entry {
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

/** Whether nothing of a stored value would be written in another way: what the body does not name stays as it is. */
const isAsStored = ({ many }: LinkAttribute, stored: unknown): boolean =>
  many
    ? Array.isArray(stored) && stored.every((reference) => typeof reference === 'string')
    : typeof stored === 'string' || stored === null;

/** False for the computed side of a two-way relation. */
const isStored = (attribute: Attribute): boolean => attribute.kind !== 'relation' || attribute.owner;

export const emptyValue = (attribute: Attribute): unknown =>
  attribute.kind === 'zone' || (attribute.kind !== 'scalar' && attribute.many) ? [] : null;

/** A single component after a write; null removes it. Without an id a new one takes its place (rules E.7). */
function buildComponent(
  attribute: ItemsAttribute,
  [given]: readonly PlannedEntry[],
  stored: unknown,
  tools: BuildTools,
): Entry | null {
  if (!given) return null;
  return buildItem(given, itemFinder(attribute, isObject(stored) ? [stored] : []), tools);
}

/** A repeatable component or dynamic zone after a write: the list given, with items that carry an id updated in place. */
function buildList(
  attribute: ItemsAttribute,
  given: readonly PlannedEntry[],
  stored: unknown,
  tools: BuildTools,
): Entry[] {
  const find = itemFinder(attribute, Array.isArray(stored) ? stored.filter(isObject) : []);
  return given.map((item) => buildItem(item, find, tools));
}

function buildItem(given: PlannedEntry, find: (values: Entry) => Entry | null, tools: BuildTools): Entry {
  const current = tools.keepIds ? find(given.values) : null;
  const { __component: component } = given.values;
  return {
    ...(component !== undefined && { __component: component }),
    id: current ? current['id'] : tools.nextId(),
    ...keptBeside(current),
    ...buildFields(given, current, tools),
  };
}

/** Finds the stored item that a given one names by its id, each once; null where it names none. */
function itemFinder(attribute: ItemsAttribute, present: readonly Entry[]): (given: Entry) => Entry | null {
  const used = new Set<number>();
  return (given) => {
    if (given['id'] === undefined || given['id'] === null) return null;
    const id = Number(given['id']);
    const found = present.find(
      (item) => Number(item['id']) === id && item['__component'] === given['__component'],
    );
    if (!found || used.has(id)) throw notRelated(attribute);
    used.add(id);
    return found;
  };
}

/** rules E.7: the answer for a zone has another name and no `details`. */
function notRelated(attribute: ItemsAttribute): ApiError {
  const message = `Some of the provided components in ${attribute.name} are not related to the entity`;
  return attribute.kind === 'zone'
    ? errors.bare('component-not-of-entry', message)
    : errors.application('component-not-of-entry', message);
}
