import { calculateObjectSize, ObjectId } from 'bson';
import { MAX_BYTES } from '../../documents/commit/bson-limits.js';
import { componentOf, type ItemsAttribute } from '../../documents/plan/items.js';
import { withLinks } from '../../documents/relations/stored-links.js';
import type { Component, Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { presentIn } from '../../values/absent.js';
import { isObject, objectAt, type PlainObject } from '../../values/plain-object.js';
import { shortly } from '../../values/shortly.js';
import { rowKey } from '../run/rows.js';
import { convert, instantOf, isStorable, NOT_HELD } from '../source/convert.js';
import { lost, moved, type SourceEntry } from '../source/types.js';
import { storedLinks } from './links.js';
import type { BuildTools, VersionToBuild, Where } from './tools.js';

/** The stored form of one version; null if it is too large for MongoDB. */
export function buildEntry(tools: BuildTools, entry: SourceEntry, version: VersionToBuild): Entry | null {
  const { type, status, documentId, id, row, copy } = version;
  const said: BuildTools = copy ? { ...tools, report: () => undefined } : tools;
  for (const name of ['createdAt', 'updatedAt', 'publishedAt'] as const)
    if (entry[name] !== null && instantOf(entry[name]) === null) {
      const why = `${shortly(entry[name])} is not a date and was replaced`;
      said.report(lost('value', `${row._id} ${name}`, why));
    }
  const updatedAt = instantOf(entry.updatedAt) ?? instantOf(entry.createdAt) ?? new Date();
  const publishedAt = instantOf(entry.publishedAt) ?? updatedAt;
  const built: Entry = {
    _id: new ObjectId(),
    _rev: new ObjectId(),
    id,
    documentId,
    locale: type.localized ? row.locale : null,
    createdAt: instantOf(entry.createdAt) ?? updatedAt,
    updatedAt,
    publishedAt: type.draftAndPublish && status === 'draft' ? null : publishedAt,
    ...storableIn(entry.extraFields),
    ...buildFields(said, type, entry.data, {
      holder: row._id,
      version,
      at: row._id,
      path: '',
      extraItemFields: entry.extraItemFields,
      leftover: entry.leftover,
    }),
  };
  if (calculateObjectSize(built) <= MAX_BYTES) return built;
  said.report(lost('entry', row._id, 'larger than the 16 MB that MongoDB can store'));
  return null;
}

const storableIn = (fields: PlainObject = {}): PlainObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isStorable(value)));

const ITEM_NAMES = ['id', '__component'];

const storable = (value: unknown): unknown => (isStorable(value) ? value : JSON.stringify(value));

function buildFields(tools: BuildTools, model: Model, data: PlainObject, where: Where): Entry {
  let fields: Entry = {};
  const leftover = Object.entries(where.leftover ?? {}).map(
    ([name, value]) => [name, storable(value)] as const,
  );
  const kept = new Map<string, unknown>(leftover);
  const keep = (name: string, value: unknown, why: string): void => {
    if ((kept.get(name) ?? null) === null) kept.set(name, storable(value));
    tools.report(moved('value', `${where.at} ${name}`, why));
  };
  const held = tools.links(where.holder);
  for (const attribute of model.attributes.values()) {
    const { name } = attribute;
    if (attribute.system) continue;
    if (attribute.kind === 'relation' && !attribute.owner) {
      // The other side stores the relation, but null says that this one was emptied.
      if (data[name] === null) fields[name] = null;
      continue;
    }
    // What the source does not have, or the type cannot hold, is missing rather than null.
    if (attribute.kind === 'relation' || attribute.kind === 'media') {
      const links = storedLinks(tools, { model, attribute }, held, where);
      if (links.length > 0 || (attribute.many && data[name] !== null))
        fields = withLinks(fields, attribute, links);
      else if (data[name] === null) fields[name] = null;
    } else if (attribute.kind === 'scalar') {
      if (data[name] === undefined) continue;
      const value = convert(attribute.type, data[name]);
      if (value !== NOT_HELD) fields[name] = value;
      else keep(name, data[name], `${shortly(data[name])} is not a value of type ${attribute.type}`);
    } else {
      const { value, unfit, given } = buildItems(tools, attribute, data[name], where);
      fields[name] = value;
      if (unfit.length > 0) {
        const which = unfit.map(({ item, place }) => `${name}[${place}] ${describe(item)}`).join(', ');
        const why = `${unfit.length} of ${given} are not components of ${name}: ${which}, of document ${where.version.documentId}`;
        keep(
          name,
          unfit.map(({ item }) => item),
          why,
        );
      }
    }
  }
  const known = model.modelType === 'component' ? [...ITEM_NAMES, tools.extraFieldsKey] : [];
  const isOwn = (name: string): boolean => model.attributes.get(name)?.system === false;
  for (const [name, value] of Object.entries(data))
    if (!known.includes(name) && !isOwn(name) && value !== null && value !== undefined)
      keep(name, value, `${model.uid} has no attribute ${name}`);
  if (kept.size > 0) fields[tools.extraFieldsKey] = Object.fromEntries(kept);
  return fields;
}

/** The component of an item; undefined if the attribute does not allow it. */
function fittingComponent(schema: Schema, attribute: ItemsAttribute, item: unknown): Component | undefined {
  const model = componentOf(schema, attribute, item);
  const fits = attribute.kind === 'component' || attribute.components.includes(model?.uid ?? '');
  return fits ? model : undefined;
}

interface Items {
  readonly value: unknown;
  /** The items that do not fit with their positions, and the number of all items. */
  readonly unfit: readonly { readonly item: unknown; readonly place: number }[];
  readonly given: number;
}

/** The component and id of an item, or else its value. */
function describe(item: unknown): string {
  if (!isObject(item)) return shortly(item);
  const { __component: component, id } = item;
  const names = [component, id].filter((name) => typeof name === 'string' || typeof name === 'number');
  return names.length > 0 ? names.join(' ') : shortly(item);
}

function buildItems(tools: BuildTools, attribute: ItemsAttribute, value: unknown, where: Where): Items {
  const many = attribute.kind === 'zone' || attribute.many;
  const given = presentIn(value);
  const unfit: { item: unknown; place: number }[] = [];
  const items: Entry[] = [];
  for (const [place, item] of given.entries()) {
    const model = fittingComponent(tools.schema, attribute, item);
    if (model && isObject(item)) {
      const built = buildItem(tools, model, item, {
        ...where,
        at: `${where.at} ${attribute.name}[${place}]`,
        path: `${where.path}${attribute.name}/${place}`,
      });
      items.push(attribute.kind === 'zone' ? { __component: model.uid, ...built } : built);
    } else unfit.push({ item, place });
  }
  if (!many) unfit.push(...items.splice(1).map((item, at) => ({ item, place: at + 1 })));
  return { value: many && value !== null ? items : (items[0] ?? null), unfit, given: given.length };
}

function buildItem(tools: BuildTools, model: Model, item: PlainObject, where: Where): Entry {
  const { id } = item;
  const holder = rowKey({ uid: model.uid, ref: String(id ?? '') });
  const keepsId = typeof id === 'number' && !where.version.copy && tools.owns(holder, where.version.row._id);
  const leftover = objectAt(item, tools.extraFieldsKey);
  return {
    id: keepsId ? id : tools.nextComponentId(),
    ...storableIn(objectAt(where.extraItemFields, where.path)),
    ...buildFields(tools, model, item, { ...where, holder, leftover, path: `${where.path}/` }),
  };
}
