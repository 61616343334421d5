import { isDeepStrictEqual } from 'node:util';
import { componentUid } from '../../documents/plan/items.js';
import { readLinks } from '../../documents/relations/stored-links.js';
import { attributeBehind } from '../../query/attributes.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, RelationAttribute, Schema } from '../../schema/types.js';
import { FILE_UID, ROLE_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject, mapObjects, type PlainObject, textOf } from '../../values/plain-object.js';
import type { Twin } from './rows.js';
import type { OldIds } from './v3-ids.js';
import { withMissing } from './v3-missing.js';
import { globalIdOf, isMorphInverse, timestampsOf } from './v3-names.js';
import type { Shown } from './v3-populate.js';
import { type Kept3, keptOf, type Stored3 } from './v3-stored.js';

/** What rendering a body for v3 needs. */
export interface Show3 {
  readonly schema: Schema;
  readonly ids: OldIds;
  readonly stored: Stored3;
  readonly defaultLocale: string;
  /** Whether the caller may read entries of this type. */
  allows(uid: string): boolean;
  /**
   * The published version of the draft with this id; undefined if there is none, or if no drafts are shown.
   */
  twin(uid: string, id: unknown): Twin | undefined;
}

/** A body in the format of Strapi 3: entries without an envelope, under their old ids. */
export function showV3(show: Show3, type: ContentType, data: unknown, shown: Shown = 'entry'): unknown {
  return mapObjects(data, (entry) => entryV3(show, type, entry, shown));
}

/** Members that Strapi 3 does not have or names differently. */
const OTHERWISE = new Set([
  'id',
  'documentId',
  'publishedAt',
  'locale',
  'localizations',
  'createdBy',
  'updatedBy',
  'createdAt',
  'updatedAt',
]);
const NEWER = new Set(['focalPoint', 'folder', 'folderPath', 'isUrlSigned', 'related']);
/** Fields that the import keeps with an entry and that are rendered separately. */
const BESIDE = new Set(['created_by', 'updated_by', 'localizations', 'related']);

/** An entry or item of an answer, with its stored form. */
interface Seen {
  readonly given: PlainObject;
  readonly stored: Entry | undefined;
  readonly kept: Kept3;
  /** Locale of the entry, also for its items. */
  readonly locale: string | null;
  readonly shown: Shown;
}

function entryV3(show: Show3, type: ContentType, given: PlainObject, shown: Shown): PlainObject {
  const stored = show.stored.entry(type.uid, given['id']);
  const kept = keptOf(stored);
  const seen: Seen = { given, stored, kept, locale: textOf(given['locale']), shown };
  const id = idOf(show, type.uid, given);
  return {
    ...valuesV3(show, type, seen),
    ...timesOf(type, seen),
    ...creatorsOf(seen),
    _id: id,
    ...('__v' in kept && { __v: kept.__v }),
    id,
    // An entry rendered `within` may have only its id.
    ...(type.draftAndPublish && 'publishedAt' in given && datesOf(show, type, seen)),
    ...(type.localized && { locale: given['locale'], localizations: localizations(show, type, seen) }),
    ...(type.uid === FILE_UID && shown !== 'entry' && { related: kept['related'] ?? [] }),
  };
}

/** The attributes in an answer, and fields without an attribute, which Strapi 3 returns as stored. */
function valuesV3(show: Show3, model: Model, seen: Seen): PlainObject {
  const values: Record<string, unknown> = {};
  const isType = model.modelType === 'contentType';
  for (const attribute of model.attributes.values()) {
    const { name } = attribute;
    if (isType && (OTHERWISE.has(name) || (model.uid === FILE_UID && NEWER.has(name)))) continue;
    const value = name in seen.given ? valueV3(show, attribute, seen) : unpopulated(show, attribute, seen);
    if (value !== undefined) values[name] = value;
  }
  for (const [name, value] of Object.entries(seen.kept))
    if (!name.startsWith('_') && !name.includes('/') && !BESIDE.has(name) && !attributeBehind(model, name))
      values[name] = value;
  return values;
}

const idOf = ({ ids }: Show3, uid: string, entry: PlainObject): string =>
  ids.idOf(uid, String(entry['documentId']), textOf(entry['locale']));

/** For a draft, the date of its published version: in Strapi 3 they are one entry. */
const publishedOf = ({ twin }: Show3, { uid }: ContentType, { id, publishedAt }: PlainObject): unknown =>
  twin(uid, id)?.publishedAt ?? publishedAt ?? null;

function datesOf(show: Show3, type: ContentType, { given, kept }: Seen): PlainObject {
  const published_at = publishedOf(show, type, given);
  return published_at === null && includes(kept._absent, 'publishedAt') ? {} : { published_at };
}

const includes = (list: unknown, name: string): boolean => Array.isArray(list) && list.includes(name);

function timesOf(type: ContentType, { given, kept }: Seen): PlainObject {
  const names = timestampsOf(type);
  if (names === null || !('createdAt' in given)) return {};
  const [created, updated] = names;
  const { createdAt, updatedAt } = given;
  // Once changed, an entry has a time even if it had none before.
  const untouched = isDeepStrictEqual(createdAt, updatedAt);
  return {
    ...(!includes(kept._absent, 'createdAt') && { [created]: createdAt }),
    ...(!(untouched && includes(kept._absent, 'updatedAt')) && { [updated]: updatedAt }),
  };
}

/** The creators of an entry; the import keeps them for types that showed them in Strapi 3. */
function creatorsOf({ kept, shown }: Seen): PlainObject {
  const found: Record<string, unknown> = {};
  for (const name of ['created_by', 'updated_by']) {
    const creator = kept[name];
    if (isObject(creator))
      found[name] = shown === 'entry' ? { ...creator, id: creator['_id'] } : creator['_id'];
  }
  return found;
}

const HEX = /^[0-9a-f]{24}$/;

function localizations(show: Show3, type: ContentType, { given, kept, shown }: Seen): readonly PlainObject[] {
  const list = given['localizations'];
  const named = (Array.isArray(list) ? list : []).map((one: PlainObject) => ({
    one,
    id: idOf(show, type.uid, one),
  }));
  return inOrderOf(kept._localizations, named).map(({ one, id }) => {
    // In a related entry, Strapi 3 shows only the bytes of the id.
    if (shown !== 'entry' && HEX.test(id))
      return { _id: id, id: { type: 'Buffer', data: [...Buffer.from(id, 'hex')] } };
    return {
      _id: id,
      id,
      locale: one['locale'],
      ...(type.draftAndPublish && { published_at: publishedOf(show, type, one) }),
    };
  });
}

/** Ids known from Strapi 3 first, in its order. */
function inOrderOf<T extends { readonly id: string }>(order: unknown, list: readonly T[]): readonly T[] {
  if (!Array.isArray(order)) return list;
  const place = ({ id }: T): number => (order.includes(id) ? order.indexOf(id) : order.length);
  return [...list].sort((a, b) => place(a) - place(b));
}

const isEnumeration = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' && attribute.type === 'enumeration';

/**
 * The rendering of a missing value: null if Strapi 3 stored null or the reference is dangling, otherwise
 * undefined.
 */
function nothing(attribute: Attribute, { stored, kept }: Seen): null | undefined {
  const { name, kind } = attribute;
  if (kind === 'component' || isEnumeration(attribute)) return null;
  if (includes(kept._nulls, name)) return null;
  if (kind === 'scalar') return undefined;
  const reference = stored?.[name] ?? kept[name];
  return reference === undefined || reference === null ? undefined : null;
}

function valueV3(show: Show3, attribute: Attribute, seen: Seen): unknown {
  const { given, kept, shown } = seen;
  const value = given[attribute.name];
  const otherwise = isObject(kept._shown) ? kept._shown[attribute.name] : undefined;
  if (isObject(otherwise) && isDeepStrictEqual(otherwise['now'], value)) return otherwise['then'];
  const items = (of: (item: PlainObject) => unknown): unknown => mapObjects(value, of);
  if (value === null || value === undefined) return nothing(attribute, seen);
  switch (attribute.kind) {
    case 'component':
    case 'zone': {
      const bare = shown === 'within';
      const made = items((item) => itemV3(show, componentUid(attribute, item), item, seen));
      return Array.isArray(made) && Array.isArray(value)
        ? withMissing(show.stored, attribute, { made, value, kept, bare })
        : made;
    }
    case 'media': {
      const file = show.schema.contentTypes.get(FILE_UID);
      return file ? items((item) => entryV3(show, file, item, 'related')) : value;
    }
    case 'relation':
      return items((item) => referred(show, attribute, item, shown));
    default:
      return value;
  }
}

function referred(show: Show3, attribute: RelationAttribute, item: PlainObject, shown: Shown): unknown {
  const uid = attribute.target ?? String(item['__type']);
  const target = show.schema.contentTypes.get(uid);
  if (!target) return item;
  if (shown !== 'entry' && shown !== 'item' && !isMorphInverse(attribute)) return idOf(show, uid, item);
  const entry = entryV3(show, target, item, shown === 'entry' ? 'related' : 'within');
  return attribute.target === null ? { __contentType: globalIdOf(target), ...entry } : entry;
}

/**
 * A component: only its id inside an entry rendered `within`, otherwise in full, with the entries it refers
 * to rendered `within`.
 */
function itemV3(show: Show3, uid: string, given: PlainObject, around: Seen): unknown {
  const model = modelOf(show.schema, uid);
  if (!model) return given;
  const stored = show.stored.item(uid, given['id']);
  const kept = keptOf(stored);
  const id = kept._id ?? given['id'];
  const { __component } = given;
  const zone = __component === undefined ? {} : { __component };
  if (around.shown === 'within') return __component === undefined ? id : { ...zone, id };
  return {
    ...zone,
    ...valuesV3(show, model, { given, stored, kept, locale: around.locale, shown: 'item' }),
    ...('id' in given && { _id: id, ...('__v' in kept && { __v: kept.__v }), id }),
  };
}

/** Relations that are not populated: ids in related entries, the full role in accounts. */
function unpopulated(show: Show3, attribute: Attribute, seen: Seen): unknown {
  const { stored, kept, shown, locale } = seen;
  if (attribute.kind !== 'relation' || !attribute.owner || attribute.private || attribute.system)
    return undefined;
  if (!stored) return undefined;
  const links = readLinks(stored, attribute);
  if (attribute.target === ROLE_UID && (shown === 'entry' || shown === 'account'))
    return roleV3(show, links[0]?.documentId);
  if (shown === 'entry' || shown === 'item') return undefined;
  const ids = links.flatMap((link): string[] => {
    const uid = attribute.target ?? link.type ?? '';
    const target = show.schema.contentTypes.get(uid);
    if (!target || target.origin === 'admin' || (uid !== ROLE_UID && !show.allows(uid))) return [];
    const named = target.localized ? (link.locale ?? locale ?? show.defaultLocale) : null;
    return [show.ids.idOf(uid, link.documentId, named)];
  });
  const before = kept[attribute.name];
  if (attribute.many) {
    const known = Array.isArray(before) ? before.filter((id) => ids.includes(id)) : [];
    return Array.isArray(before) && isDeepStrictEqual(known, ids) ? before : ids;
  }
  if (links.length > 0) return ids[0];
  return typeof before === 'string' ? before : nothing(attribute, seen);
}

function roleV3({ stored }: Show3, documentId: string | undefined): unknown {
  const role = documentId === undefined ? undefined : stored.role(documentId);
  if (!role) return undefined;
  const { name, description, type } = role;
  const kept = keptOf(role);
  return {
    _id: documentId,
    name,
    description,
    type,
    ...('__v' in kept && { __v: kept.__v }),
    id: documentId,
  };
}
