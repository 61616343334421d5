import { errors, fieldError } from '../../errors.js';
import { checkNesting } from '../../limits/nesting.js';
import { printValue } from '../../print-value.js';
import { scalarOf } from '../../schema/scalars/index.js';
import { readJson } from '../../schema/scalars/json.js';
import type { Attribute, Model, ScalarType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject } from '../../values/plain-object.js';
import { componentOf, holdsItems, type ItemsAttribute } from './items.js';
import {
  type LinkAttribute,
  NONE,
  parseLinkValue,
  type RelationInput,
  targetsOf,
  targetUid,
} from './relation-input.js';
import { isVisible } from './visible.js';
import type { PlannedEntry, WantedTarget, WritePlan } from './write-plan.js';

/** BSON allows 100 levels; an entry and its envelope need some of them. */
const MAX_DEPTH = 90;

export interface WriteBody extends Pick<WritePlan, 'type' | 'action'> {
  /** The body as received; no body is an empty one. */
  readonly data: unknown;
  /** What a new version takes from another one if the body does not give it. */
  readonly inherited?: Entry;
}

/**
 * Parses a body: casts scalars, reads links and positions, finds the items of components and zones with their
 * paths. Unknown keys and system attributes are dropped. Throws a 400 if it is not an object or is nested too
 * deeply.
 */
export function planWrite(schema: Schema, { type, data, action, inherited = {} }: WriteBody): WritePlan {
  const sent = data ?? {};
  if (!isObject(sent)) throw notAnObject(data);
  checkNesting(sent, MAX_DEPTH);
  const given = { ...inherited, ...sent };
  const taken = new Set(Object.keys(inherited).filter((name) => sent[name] === undefined));
  for (const name of taken) given[name] = inherited[name];

  const entries: PlannedEntry[] = [];
  const hidden: string[] = [];
  const targets: WantedTarget[] = [];
  let componentIds = 0;
  let invalidRelations = false;

  interface At {
    readonly path: readonly string[];
    readonly partial: boolean;
    /** Keys to keep that are not attributes. */
    readonly head: Entry;
  }

  const planLink = (attribute: LinkAttribute, value: unknown, own: boolean): RelationInput => {
    if (!own) return NONE;
    const input = parseLinkValue(attribute, value);
    invalidRelations ||= input.kind === 'invalid';
    for (const target of targetsOf(input))
      targets.push({ ...target, uid: targetUid(attribute, target.type) });
    return input;
  };

  const planItem = (attribute: ItemsAttribute, item: unknown, at: At): PlannedEntry | null => {
    const component = componentOf(schema, attribute, item);
    if (!component || !isObject(item)) return null;
    // Inside a new item everything is new.
    const isStored = at.partial && item['id'] !== undefined;
    if (!isStored) componentIds += 1;
    const head: Entry = {};
    if (isStored) head['id'] = item['id'];
    if (Object.hasOwn(item, '__component')) head['__component'] = item['__component'];
    return planEntry(component, item, { ...at, partial: isStored, head });
  };

  const planEntry = (model: Model, entry: Entry, at: At): PlannedEntry => {
    const values: Entry = { ...at.head };
    const links = new Map<string, RelationInput>();
    const items = new Map<string, PlannedEntry[]>();
    const planned: PlannedEntry = { model, path: at.path, given: entry, values, links, items };
    entries.push(planned);

    const planAttribute = (attribute: Attribute, value: unknown): unknown => {
      const path = [...at.path, attribute.name];
      if (attribute.kind === 'scalar')
        return attribute.list && Array.isArray(value)
          ? value.map((each) => castScalar(attribute.type, each))
          : castScalar(attribute.type, value);
      if (!holdsItems(attribute)) {
        links.set(attribute.name, planLink(attribute, value, !taken.has(path[0] ?? '')));
        return value;
      }
      const found: PlannedEntry[] = [];
      items.set(attribute.name, found);
      const plan = (item: unknown, itemPath: readonly string[]): unknown => {
        const inner = planItem(attribute, item, { ...at, path: itemPath });
        if (inner) found.push(inner);
        return inner ? inner.values : item;
      };
      if (attribute.kind === 'component' && !attribute.many) return plan(value, path);
      if (!Array.isArray(value)) return value;
      return value.map((item, index) => plan(castItem(item), [...path, String(index)]));
    };

    for (const attribute of model.attributes.values()) {
      if (attribute.system) continue;
      const sent = Object.hasOwn(entry, attribute.name) ? entry[attribute.name] : undefined;
      const value = sent === undefined && !at.partial ? defaultOf(attribute) : sent;
      if (value === undefined) continue;
      values[attribute.name] = planAttribute(attribute, value);
    }
    for (const attribute of model.attributes.values())
      if (!isVisible(attribute.visibleWhen, values))
        hidden.push(`/${[...at.path, attribute.name].join('/')}`);
    return planned;
  };

  const root = planEntry(type, given, { path: [], partial: action === 'update', head: {} });
  const needs = { targets, componentIds };
  return {
    type,
    root,
    entries,
    inheritedNames: taken,
    hidden,
    original: given,
    action,
    needs,
    invalidRelations,
  };
}

/** The value in the form in which its type validates it. */
const castScalar = (type: ScalarType, value: unknown): unknown => {
  const { fromBody } = scalarOf(type);
  return fromBody ? fromBody(value) : value;
};

/** An item of a repeatable component or zone: an object, also as JSON text; null for anything else. */
const castItem = (value: unknown): unknown => {
  const item = readJson(value);
  return typeof item === 'object' && !Array.isArray(item) ? item : null;
};

/** The value of an attribute that a new entry or item does not give; undefined if there is no default. */
export const defaultOf = (attribute: Attribute): unknown => {
  if (attribute.kind === 'scalar') {
    const value: unknown = typeof attribute.default === 'function' ? attribute.default() : attribute.default;
    return typeof value === 'object' && value !== null ? structuredClone(value) : value;
  }
  const list = attribute.kind === 'zone' || (attribute.kind === 'component' && attribute.many);
  return list && !attribute.required ? [] : undefined;
};

const notAnObject = (data: unknown): Error => {
  const message = `this must be a \`object\` type, but the final value was: \`null\` (cast from the value \`${printValue(data)}\`).`;
  return errors.fields([fieldError([], message, null)]);
};

interface Planning {
  readonly schema: Schema;
  readonly plannedAhead?: WritePlan;
}

/** The plan of a body: the one made ahead, unless stored entries change it. */
export function planBody({ schema, plannedAhead: ahead }: Planning, body: WriteBody): WritePlan {
  const inherits = Object.keys(body.inherited ?? {}).length > 0;
  return ahead?.action === body.action && !inherits ? ahead : planWrite(schema, body);
}
