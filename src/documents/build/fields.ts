import type { Attribute } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import type { LinkAttribute, PlannedEntry } from '../plan/write-plan.js';
import { applyLinks, type LinkTools } from '../relations/link.js';
import { readLinks, withLinks } from '../relations/stored.js';
import type { ShownFiles } from '../resolve/allowed-files.js';
import { buildComponent, buildList } from './components.js';

/** What building an entry draws on besides the plan. */
export interface BuildTools extends LinkTools {
  /** The next id for a component item. */
  nextId(): number;
  /** Ids in the data name items of `current`; on create they are ignored (rules E.7). */
  readonly keepIds: boolean;
  /** Gets the files of each media attribute that was written, as they will be. */
  readonly shown: ShownFiles[];
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
  const { path, values, links } = planned;
  const given = values[attribute.name] === undefined ? undefined : links.get(attribute.name);
  if (!given && path.length === 0 && current && isAsStored(attribute, current[attribute.name])) {
    entry[attribute.name] = current[attribute.name];
    return entry;
  }
  const after = applyLinks(attribute, readLinks(current ?? {}, attribute), given ?? { kind: 'none' }, tools);
  // What an item of a component holds is written with it; of the entry itself only what the body names.
  if (attribute.kind === 'media' && (given || path.length > 0))
    tools.shown.push({
      attribute,
      path: [...path, attribute.name],
      documentIds: after.map(({ documentId }) => documentId),
    });
  return withLinks(entry, attribute, after);
}

/** Whether nothing of a stored value would be written in another way: what the body does not name stays as it is. */
const isAsStored = ({ many }: LinkAttribute, stored: unknown): boolean =>
  many
    ? Array.isArray(stored) && stored.every((reference) => typeof reference === 'string')
    : typeof stored === 'string' || stored === null;

/** False for the computed side of a two-way relation. */
export const isStored = (attribute: Attribute): boolean => attribute.kind !== 'relation' || attribute.owner;

export const emptyValue = (attribute: Attribute): unknown =>
  attribute.kind === 'zone' || (attribute.kind !== 'scalar' && attribute.many) ? [] : null;
