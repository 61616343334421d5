import { calculateObjectSize, ObjectId } from 'bson';
import { MAX_BYTES } from '../../documents/commit/bson-limits.js';
import { hasInverseList, type StoredLink } from '../../documents/relations/link.js';
import { withLinks } from '../../documents/relations/stored.js';
import { NO_LOCALE } from '../../query/read-plan.js';
import { contentTypeOf } from '../../schema/find.js';
import { relationName } from '../../schema/model/across-locales.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject, objectAt, type PlainObject } from '../../values/plain-object.js';
import { keyOf, type LinkRow, linksIn, placeOf, type Row } from '../run/rows.js';
import { convert, dateOf, isStorable, UNFIT } from '../source/convert.js';
import { lost, moved, type Problem, type SourceEntry } from '../source/types.js';

/** What building the stored form of entries draws on. */
export interface BuildTools {
  readonly schema: Schema;
  readonly keptUnder: string;
  readonly defaultLocale: string;
  /** The references that an entry or component item holds, in any order. */
  links(key: string): readonly LinkRow[];
  /** The row that a reference leads to; undefined where it is not in the source. */
  target(key: string): Row | undefined;
  /** Whether an item of this key is this row's: one that two rows hold is copied for the second. */
  owns(item: string, row: string): boolean;
  nextComponentId(): number;
  report(problem: Problem): void;
  /** Told of each relation that leads from one locale to another. */
  crossesLocales(name: string): void;
}

/** One version of an entry to be: which, and the numbers that it gets. */
export interface VersionToBuild {
  readonly row: Row;
  readonly type: ContentType;
  readonly status: 'draft' | 'published';
  readonly documentId: string;
  readonly id: number;
  /** A second version of one row: it has component items of its own, and what is wrong was said of the first. */
  readonly copy: boolean;
}

/** The stored form of one version; null where it is too large for MongoDB. */
export function buildEntry(tools: BuildTools, entry: SourceEntry, version: VersionToBuild): Entry | null {
  const { type, status, documentId, id, row, copy } = version;
  const said: BuildTools = copy ? { ...tools, report: () => undefined } : tools;
  const now = new Date();
  for (const name of ['createdAt', 'updatedAt', 'publishedAt'] as const)
    if (entry[name] !== null && dateOf(entry[name]) === null)
      said.report(
        lost(
          'value',
          `${row._id} ${name}`,
          `${shortly(entry[name])} is not a date: another one stands in its place`,
        ),
      );
  const updatedAt = dateOf(entry.updatedAt) ?? dateOf(entry.createdAt) ?? now;
  const publishedAt = dateOf(entry.publishedAt) ?? updatedAt;
  const locale = type.localized ? row.locale : null;
  const built: Entry = {
    _id: new ObjectId(),
    _rev: new ObjectId(),
    id,
    documentId,
    locale,
    createdAt: dateOf(entry.createdAt) ?? updatedAt,
    updatedAt,
    publishedAt: type.draftAndPublish && status === 'draft' ? null : publishedAt,
    ...storableOnly(entry.beside),
    ...buildFields(said, type, entry.data, { holder: row._id, version, at: row._id, entry }),
  };
  if (calculateObjectSize(built) <= MAX_BYTES) return built;
  tools.report(lost('entry', row._id, 'larger than the 16 MB that MongoDB holds'));
  return null;
}

const storableOnly = (values: PlainObject | undefined): PlainObject =>
  Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => isStorable(value)));

interface Where {
  /** Key of what holds the references: the row, or a component item. */
  readonly holder: string;
  readonly version: VersionToBuild;
  /** For messages. */
  readonly at: string;
  readonly entry: SourceEntry;
}

function buildFields(tools: BuildTools, model: Model, data: PlainObject, where: Where): Entry {
  let fields: Entry = {};
  const kept = leftoverOf(
    where.holder === where.version.row._id ? where.entry.leftover : objectAt(data, tools.keptUnder),
  );
  const keep = (name: string, value: unknown, why: string): void => {
    kept[name] = isStorable(value) ? value : JSON.stringify(value);
    tools.report(moved('value', `${where.at} ${name}`, why));
  };
  const links = tools.links(where.holder);
  for (const attribute of model.attributes.values()) {
    const { name } = attribute;
    if (attribute.system || (attribute.kind === 'relation' && !attribute.owner)) continue;
    if (attribute.kind === 'relation' || attribute.kind === 'media')
      fields = withLinks(
        fields,
        attribute,
        linksOf(tools, { model, attribute }, linksIn(links, name), where),
      );
    else if (attribute.kind === 'scalar') {
      const value = convert(attribute.type, data[name]);
      fields[name] = value === UNFIT ? null : value;
      if (value === UNFIT)
        keep(name, data[name], `${shortly(data[name])} is not a value of type ${attribute.type}`);
    } else {
      const { value, lost, why } = buildItems(tools, attribute, data[name], where);
      fields[name] = value;
      if (lost.length > 0) keep(name, lost, why);
    }
  }
  const names =
    model.modelType === 'component' ? new Set(['id', '__component', tools.keptUnder]) : new Set<string>();
  for (const [name, value] of Object.entries(data))
    if (!names.has(name) && !model.attributes.has(name) && value !== null && value !== undefined)
      keep(name, value, `${model.uid} has no attribute ${name}`);
  if (Object.keys(kept).length > 0) fields[tools.keptUnder] = kept;
  return fields;
}

const leftoverOf = (leftover: PlainObject = {}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(leftover).map(([name, value]) => [
      name,
      isStorable(value) ? value : JSON.stringify(value),
    ]),
  );

/** Relations and media come as links; what an entry says of them beside that is known already. */

const shortly = (value: unknown): string => {
  const written = JSON.stringify(value) ?? String(value);
  return written.length > 60 ? `${written.slice(0, 60)}…` : written;
};

interface Built {
  readonly value: unknown;
  /** What fits nowhere, and why. */
  readonly lost: readonly unknown[];
  readonly why: string;
}

function buildItems(
  tools: BuildTools,
  attribute: Extract<Attribute, { kind: 'component' | 'zone' }>,
  value: unknown,
  where: Where,
): Built {
  const many = attribute.kind === 'zone' || attribute.many;
  const given = (Array.isArray(value) ? value : [value]).filter(
    (item) => item !== null && item !== undefined,
  );
  const lost: unknown[] = [];
  const items = given.flatMap((item, place): Entry[] => {
    const uid = attribute.kind === 'component' ? attribute.component : uidOf(item);
    const model = tools.schema.components.get(uid);
    const fits =
      model && isObject(item) && (attribute.kind === 'component' || attribute.components.includes(uid));
    if (!fits) {
      lost.push(item);
      return [];
    }
    const built = buildItem(tools, model, item, { ...where, at: `${where.at} ${attribute.name}[${place}]` });
    return [attribute.kind === 'zone' ? { __component: uid, ...built } : built];
  });
  if (!many && items.length > 1) lost.push(...items.splice(1));
  const why = `${lost.length} of ${given.length} are not components of ${attribute.name}`;
  return { value: many ? items : (items[0] ?? null), lost, why };
}

const uidOf = (item: unknown): string => (isObject(item) ? String(item['__component']) : '');

function buildItem(tools: BuildTools, model: Model, item: PlainObject, where: Where): Entry {
  const holder = keyOf({ uid: model.uid, ref: String(item['id'] ?? '') });
  const { id } = item;
  const keepsId = typeof id === 'number' && !where.version.copy && tools.owns(holder, where.version.row._id);
  return {
    id: keepsId ? id : tools.nextComponentId(),
    ...buildFields(tools, model, item, { ...where, holder }),
  };
}

/**
 * What stands beside a reference: the locale of its target, where that is not the one in which it would be looked for (rules F.3).
 */
function localeBeside(
  { defaultLocale }: BuildTools,
  target: ContentType,
  { locale }: Row,
  { type, row }: VersionToBuild,
): string | null {
  if (!target.localized) return null;
  const named = locale ?? NO_LOCALE;
  return named === (type.localized ? (row.locale ?? NO_LOCALE) : defaultLocale) ? null : named;
}

/** References in the order of the source, each document once. */
function linksOf(
  tools: BuildTools,
  { model, attribute }: { model: Model; attribute: Extract<Attribute, { kind: 'relation' | 'media' }> },
  rows: readonly LinkRow[],
  { version, at }: Where,
): readonly StoredLink[] {
  const { schema } = tools;
  const ordered = attribute.kind === 'relation' && hasInverseList(schema, attribute);
  const found = new Map<string, StoredLink>();
  for (const link of rows) {
    const { uid } = placeOf(link.to);
    const target = tools.target(link.to);
    const type = contentTypeOf(schema, uid);
    if (!target?.documentId || !type) {
      const why = `${link.to} is not in the source`;
      tools.report(lost('link', `${at} ${attribute.name} → ${link.to}`, why));
      continue;
    }
    const locale = link.standIn ? null : localeBeside(tools, type, target, version);
    if (locale !== null && version.type.localized)
      tools.crossesLocales(relationName(model.uid, attribute.name));
    const stored: StoredLink = {
      documentId: target.documentId,
      type: attribute.kind === 'relation' && attribute.target === null ? uid : null,
      order: ordered ? link.inversePosition : null,
      locale,
    };
    const key = [stored.type, stored.documentId, stored.locale].join(' ');
    // A type without Draft & Publish may name both versions of a target.
    if (!found.has(key)) found.set(key, stored);
  }
  const links = [...found.values()];
  const [first, ...more] = links;
  if (attribute.many || more.length === 0 || !first) return links;
  for (const { documentId } of more)
    tools.report(
      lost(
        'link',
        `${at} ${attribute.name} → ${documentId}`,
        `${attribute.name} holds one reference, and has ${first.documentId}`,
      ),
    );
  return [first];
}
