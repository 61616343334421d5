import { type ApiError, errors } from '../../errors.js';
import type { Entry } from '../../store/changes.js';
import { type ItemsAttribute, isEntry } from '../plan/items.js';
import type { PlannedEntry } from '../plan/write-plan.js';
import { keptBeside } from './copy.js';
import { type BuildTools, buildFields } from './fields.js';

/** A single component after a write; null removes it. Without an id a new one takes its place (rules E.7). */
export function buildComponent(
  attribute: ItemsAttribute,
  [given]: readonly PlannedEntry[],
  stored: unknown,
  tools: BuildTools,
): Entry | null {
  if (!given) return null;
  return buildItem(given, itemFinder(attribute, isEntry(stored) ? [stored] : []), tools);
}

/** A repeatable component or dynamic zone after a write: the list given, with items that carry an id updated in place. */
export function buildList(
  attribute: ItemsAttribute,
  given: readonly PlannedEntry[],
  stored: unknown,
  tools: BuildTools,
): Entry[] {
  const find = itemFinder(attribute, Array.isArray(stored) ? stored.filter(isEntry) : []);
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
