import { type ApiError, errors } from '../../errors.js';
import type { ComponentAttribute, ZoneAttribute } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import { itemModel } from '../plan/collect.js';
import { type BuildTools, buildFields } from './fields.js';

/** A single component after a write; null removes it. Without an id a new one takes its place (rules E.7). */
export function buildComponent(
  attribute: ComponentAttribute,
  given: unknown,
  stored: unknown,
  tools: BuildTools,
): Entry | null {
  if (given === null) return null;
  return buildItem(attribute, given, isEntry(stored) ? [stored] : [], tools, new Set());
}

/** A repeatable component or dynamic zone after a write: the list given, with items that carry an id updated in place. */
export function buildList(
  attribute: ComponentAttribute | ZoneAttribute,
  given: unknown,
  stored: unknown,
  tools: BuildTools,
): Entry[] {
  const present = Array.isArray(stored) ? stored.filter(isEntry) : [];
  const used = new Set<number>();
  return (Array.isArray(given) ? given : []).map((item) => buildItem(attribute, item, present, tools, used));
}

function buildItem(
  attribute: ComponentAttribute | ZoneAttribute,
  given: unknown,
  present: readonly Entry[],
  tools: BuildTools,
  used: Set<number>,
): Entry {
  const uid = attribute.kind === 'component' ? attribute.component : null;
  const model = itemModel(tools.schema, uid, given);
  if (!model || !isEntry(given))
    throw errors.validation('component-item-unknown', `${attribute.name} has an item that is no component`);
  const current = tools.keepIds ? findItem(attribute, given, present, used) : null;
  return {
    ...(attribute.kind === 'zone' && { __component: model.uid }),
    id: current ? current['id'] : tools.nextId(),
    ...buildFields(model, given, current, tools),
  };
}

/** The stored item that the given one names by its id; null where it names none. */
function findItem(
  attribute: ComponentAttribute | ZoneAttribute,
  given: Entry,
  present: readonly Entry[],
  used: Set<number>,
): Entry | null {
  if (given['id'] === undefined || given['id'] === null) return null;
  const id = Number(given['id']);
  const found = present.find(
    (item) => Number(item['id']) === id && item['__component'] === given['__component'],
  );
  if (!found || used.has(id)) throw notRelated(attribute);
  used.add(id);
  return found;
}

/** rules E.7: the answer for a zone has another name and no `details`. */
function notRelated(attribute: ComponentAttribute | ZoneAttribute): ApiError {
  const message = `Some of the provided components in ${attribute.name} are not related to the entity`;
  return attribute.kind === 'zone'
    ? errors.bare('component-not-of-entry', message)
    : errors.application('component-not-of-entry', message);
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
