import type { Attribute, Model } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import { parseRelation } from '../plan/relation-input.js';
import { applyLinks, type LinkTools } from '../relations/link.js';
import { readLinks, withLinks } from '../relations/stored.js';
import { buildComponent, buildList } from './components.js';

/** What building an entry draws on besides the data. */
export interface BuildTools extends LinkTools {
  /** The next id for a component item. */
  nextId(): number;
  /** Ids in the data name items of `current`; on create they are ignored (rules E.7). */
  readonly keepIds: boolean;
}

/**
 * The own attributes of an entry or component item after a write: `data` is checked and cast, `current` is what is stored (null for
 * something new). Attributes that the data does not name stay. Inverse sides are not stored and not looked at here.
 */
export function buildFields(model: Model, data: Entry, current: Entry | null, tools: BuildTools): Entry {
  let entry: Entry = current && '_links' in current ? { _links: current['_links'] } : {};
  for (const attribute of model.attributes.values()) {
    if (attribute.system || !isStored(attribute)) continue;
    const { name } = attribute;
    const given = data[name];
    const stored = current?.[name];
    if (attribute.kind === 'relation' || attribute.kind === 'media') {
      const links = applyLinks(attribute, readLinks(current ?? {}, attribute), parseRelation(given), tools);
      entry = withLinks(entry, attribute, links);
    } else if (given === undefined) entry[name] = stored ?? emptyValue(attribute);
    else if (attribute.kind === 'scalar') entry[name] = given;
    else if (attribute.kind === 'component' && !attribute.many)
      entry[name] = buildComponent(attribute, given, stored, tools);
    else entry[name] = buildList(attribute, given, stored, tools);
  }
  return entry;
}

/** False for the computed side of a two-way relation. */
export const isStored = (attribute: Attribute): boolean => attribute.kind !== 'relation' || attribute.owner;

export const emptyValue = (attribute: Attribute): unknown =>
  attribute.kind === 'zone' || (attribute.kind !== 'scalar' && attribute.many) ? [] : null;
