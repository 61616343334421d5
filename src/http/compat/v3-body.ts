import { ObjectId } from 'bson';
import { componentUid } from '../../documents/plan/items.js';
import { readLinks } from '../../documents/relations/stored-links.js';
import { schemaAttribute, type Viewer } from '../../query/attributes.js';
import { modelOf } from '../../schema/find.js';
import type {
  Attribute,
  ContentType,
  Model,
  RelationAttribute,
  ScalarType,
  Schema,
} from '../../schema/types.js';
import { FILE_UID, ROLE_UID } from '../../schema/uids.js';
import type { Entry } from '../../store/entries/changes.js';
import { isObject, mapObjects, objectsIn, type PlainObject, textOf } from '../../values/plain-object.js';
import type { Twin } from './rows.js';
import type { OldIds, Place } from './v3-ids.js';
import { globalIdOf, isClosed, isMorphInverse, isPrivate, showsLocales, timestampsOf } from './v3-names.js';
import type { ShownAs } from './v3-populate.js';
import type { UsesOf } from './v3-related.js';
import { type Stored3, strapi3FieldsOf } from './v3-stored.js';

/** What rendering a body for v3 needs. */
export interface Show3 {
  readonly schema: Schema;
  readonly ids: OldIds;
  readonly stored: Stored3;
  readonly usesOf: UsesOf;
  readonly defaultLocale: string;
  /** Whether the caller may read drafts, and so know that they exist. */
  readonly drafts: boolean;
  /** Whether the body is the caller's own account. */
  readonly isOwn: boolean;
  readonly viewer: Viewer;
  /** Whether the caller may read entries of this type. */
  allows(uid: string): boolean;
  /** Whether rules hide entries of this type from the caller; null: of any type. */
  isRuled(uid: string | null): boolean;
  /**
   * The published version of the draft with this id; undefined if there is none, or if no drafts are shown.
   */
  twin(uid: string, id: unknown): Twin | undefined;
}

/** A body in the format of Strapi 3: entries without an envelope, under their old ids. */
export function showV3(show: Show3, type: ContentType, data: unknown, shown: ShownAs = 'entry'): unknown {
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
const CREATORS = ['created_by', 'updated_by'];

/** An entry or item of an answer, with its stored form. */
interface Seen {
  readonly given: PlainObject;
  readonly stored: Entry | undefined;
  /** Of its old document. */
  readonly kept: PlainObject;
  /** Locale of the entry, also for its items. */
  readonly locale: string | null;
  readonly shown: ShownAs;
}

function entryV3(show: Show3, type: ContentType, given: PlainObject, shown: ShownAs): PlainObject {
  const stored = show.stored.entry(type.uid, given['id']);
  // What has no attribute is in none of the `fields` of a rule.
  const kept = hasFields(show, type) ? {} : strapi3FieldsOf(stored);
  const locale = textOf(given['locale']);
  const seen: Seen = { given, stored, kept, locale, shown };
  const id = idOf(show, type.uid, given);
  return withoutPrivate(type, {
    ...valuesV3(show, type, seen),
    ...timesOf(type, seen),
    ...creatorsOf(seen),
    _id: id,
    id,
    // An entry rendered `within` may have only its id.
    ...(type.draftAndPublish && 'publishedAt' in given && { published_at: publishedOf(show, type, given) }),
    ...(type.localized && {
      ...(locale !== null && { locale }),
      ...(showsLocales(type, show.viewer) && { localizations: localizations(show, type, seen) }),
    }),
    ...(type.uid === FILE_UID && shown !== 'entry' && { related: relatedTo(show, given) }),
  });
}

const hasFields = ({ viewer: { caller } }: Show3, { uid }: ContentType): boolean =>
  (caller.grants?.reads?.get(uid)?.fields ?? null) !== null;

/** Without the names in `privateAttributes` of the type, which need not be those of attributes. */
const withoutPrivate = (type: ContentType, entry: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(entry).filter(([name]) => !isPrivate(type, name)));

/**
 * The attributes in an answer, and fields without an attribute, which Strapi 3 returns as stored. They may refer
 * to drafts, so only callers who may read those get them.
 */
function valuesV3(show: Show3, model: Model, seen: Seen): PlainObject {
  const values: Record<string, unknown> = {};
  const isType = model.modelType === 'contentType';
  for (const attribute of model.attributes.values()) {
    const { name } = attribute;
    if (isType && (OTHERWISE.has(name) || (model.uid === FILE_UID && NEWER.has(name)))) continue;
    if (isClosed(model, name, show.viewer)) continue;
    const value = name in seen.given ? valueV3(show, attribute, seen) : unpopulated(show, attribute, seen);
    if (value !== undefined) values[name] = value;
  }
  for (const [name, value] of Object.entries(seen.kept))
    if (name === '__v' || (show.drafts && isField(model, name))) values[name] = value;
  return values;
}

/** Whether a kept value is that of a field without an attribute; the others have one, or the path of an item. */
const isField = (model: Model, name: string): boolean =>
  !(name.startsWith('_') || name.includes('/') || CREATORS.includes(name) || schemaAttribute(model, name));

const HEX = /^[0-9a-f]{24}$/;

const idOf = ({ ids }: Show3, uid: string, entry: PlainObject): string =>
  ids.idOf(uid, String(entry['documentId']), textOf(entry['locale']));

/** For a draft, the date of its published version: in Strapi 3 they are one entry. */
const publishedOf = ({ twin }: Show3, { uid }: ContentType, { id, publishedAt }: PlainObject): unknown =>
  twin(uid, id)?.publishedAt ?? publishedAt ?? null;

function timesOf(type: ContentType, { given, kept }: Seen): PlainObject {
  const names = timestampsOf(type);
  if (names === null || !('createdAt' in given)) return {};
  const { documentId, createdAt, updatedAt } = given;
  if (createdAt === updatedAt && createdAt === timeOf(kept['_id'] ?? documentId)) return {};
  const [created, updated] = names;
  return { [created]: createdAt, [updated]: updatedAt };
}

/** The time in an id of Strapi 3, which the import gives to a document without dates; it shows none. */
const timeOf = (id: unknown): string | null =>
  typeof id === 'string' && HEX.test(id)
    ? ObjectId.createFromHexString(id).getTimestamp().toISOString()
    : null;

/** The creators of an entry; the import keeps them for types that showed them in Strapi 3. */
function creatorsOf({ kept, shown }: Seen): PlainObject {
  const found: Record<string, unknown> = {};
  for (const name of CREATORS) {
    const creator = kept[name];
    if (isObject(creator))
      found[name] = shown === 'entry' ? { ...creator, id: creator['_id'] } : creator['_id'];
  }
  return found;
}

/**
 * The ids of the entries with the file, as far as the caller may know them. Strapi 3 lists those that it wrote
 * itself; another program left no version key.
 */
function relatedTo({ ids, usesOf }: Show3, { documentId: file }: PlainObject): readonly string[] {
  const uses = usesOf(String(file)).flatMap(({ uid, documentId, locale, hasVersionKey }) => {
    const id = ids.idOf(uid, documentId, locale);
    return hasVersionKey || !HEX.test(id) ? [id] : [];
  });
  return uses.sort();
}

/** Whether the caller may know that the entry exists. */
const isKnown = ({ drafts, ids }: Show3, { uid }: ContentType, place: Place): boolean =>
  ids.isKnown(uid, place, drafts);

function localizations(show: Show3, type: ContentType, seen: Seen): readonly PlainObject[] {
  const { given, shown } = seen;
  if (shown !== 'entry') return unpopulatedLocalizations(show, type, seen);
  const list = objectsIn(given['localizations']).map((one) => ({ one, id: idOf(show, type.uid, one) }));
  return byId(list).map(({ one, id }) => ({
    _id: id,
    id,
    locale: one['locale'],
    ...(type.draftAndPublish &&
      !isClosed(type, 'publishedAt', show.viewer) && { published_at: publishedOf(show, type, one) }),
  }));
}

/** In a related entry, Strapi 3 lists the ids of all localizations, and in `id` only their bytes. */
function unpopulatedLocalizations(
  show: Show3,
  { uid }: ContentType,
  { given, locale }: Seen,
): readonly PlainObject[] {
  const documentId = String(given['documentId']);
  const others = show.ids
    .localesOf(uid, documentId)
    .filter((other) => other.locale !== locale && (show.drafts || other.isPublished))
    .map((other) => ({ id: show.ids.idOf(uid, documentId, other.locale) }));
  return byId(others).map(({ id }) => ({
    _id: id,
    id: HEX.test(id) ? { type: 'Buffer', data: [...Buffer.from(id, 'hex')] } : id,
  }));
}

/** The order of creation. */
const byId = <T extends { readonly id: string }>(list: readonly T[]): readonly T[] =>
  [...list].sort((a, b) => (a.id < b.id ? -1 : 1));

const rounded =
  (places: number) =>
  (value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toFixed(places)) : value;

/** What Strapi 3 makes of values when it shows them: it rounds, and keeps 64 bits of an integer. */
const SHOWN: Readonly<Partial<Record<ScalarType, (value: unknown) => unknown>>> = {
  float: rounded(20),
  decimal: rounded(2),
  biginteger: (value) =>
    typeof value === 'string' && /^-?\d+$/.test(value) ? String(BigInt.asIntN(64, BigInt(value))) : value,
};

function valueV3(show: Show3, attribute: Attribute, seen: Seen): unknown {
  const { given, stored, shown } = seen;
  const { name } = attribute;
  const value = given[name];
  if (attribute.kind === 'scalar') {
    // Missing, it is left out, and null is null; but the default of an enumeration is null.
    if (stored && stored[name] === undefined) return attribute.type === 'enumeration' ? null : undefined;
    return SHOWN[attribute.type]?.(value) ?? value;
  }
  if (value === null || value === undefined || isNullList(show, attribute, seen, value))
    return nothing(show, attribute, seen);
  const items = (of: (item: PlainObject) => unknown): unknown => mapObjects(value, of);
  switch (attribute.kind) {
    case 'component':
    case 'zone':
      return items((item) => itemV3(show, componentUid(attribute, item), item, seen));
    case 'media': {
      const file = show.schema.contentTypes.get(FILE_UID);
      return file ? items((item) => entryV3(show, file, item, 'related')) : value;
    }
    case 'relation':
      return items((item) => referred(show, attribute, item, shown));
  }
}

/**
 * A missing component is null, a missing reference is no key, and one that is null or leads nowhere is null.
 * Who may not know of drafts, or of some entries by a rule, gets no key either way, since a reference to one of them
 * would be told from null.
 */
function nothing(show: Show3, attribute: Attribute, { stored }: Seen): null | undefined {
  if (attribute.kind === 'component') return null;
  return stored?.[attribute.name] !== undefined && tellsNull(show, attribute) ? null : undefined;
}

const tellsNull = ({ drafts, isRuled }: Show3, attribute: Attribute): boolean =>
  attribute.kind !== 'relation' || (drafts && !isRuled(attribute.target));

/** Whether an empty list is stored as null, as far as the caller may know that it has no hidden entries. */
const isNullList = (show: Show3, attribute: Attribute, { stored }: Seen, list: unknown): boolean =>
  Array.isArray(list) && list.length === 0 && stored?.[attribute.name] === null && tellsNull(show, attribute);

function referred(show: Show3, attribute: RelationAttribute, item: PlainObject, shown: ShownAs): unknown {
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
  const kept = strapi3FieldsOf(stored);
  const id = kept['_id'] ?? given['id'];
  const { __component } = given;
  const zone = __component === undefined ? {} : { __component };
  if (around.shown === 'within') return __component === undefined ? id : { ...zone, id };
  return {
    ...zone,
    ...valuesV3(show, model, { given, stored, kept, locale: around.locale, shown: 'item' }),
    ...('id' in given && { _id: id, id }),
  };
}

/** Relations that are not populated: ids in related entries, the role in accounts. */
function unpopulated(show: Show3, attribute: Attribute, seen: Seen): unknown {
  const { stored, shown, locale } = seen;
  if (attribute.kind !== 'relation' || !attribute.owner || attribute.private || attribute.system)
    return undefined;
  if (!stored) return undefined;
  const { target: uid } = attribute;
  const links = readLinks(stored, attribute);
  if (uid === ROLE_UID && shown !== 'related' && shown !== 'within')
    return roleV3(show, links[0]?.documentId);
  if (shown === 'entry' || shown === 'item') return undefined;
  // The id of a role is no secret, unlike its name.
  if (uid !== null && uid !== ROLE_UID && !show.allows(uid)) return undefined;
  const ids = links.flatMap((link): string[] => {
    const target = show.schema.contentTypes.get(uid ?? link.type ?? '');
    if (!target || target.origin === 'admin' || !(uid === ROLE_UID || show.allows(target.uid))) return [];
    const { documentId } = link;
    const named = target.localized ? (link.locale ?? locale ?? show.defaultLocale) : null;
    const id = show.ids.idOf(target.uid, documentId, named);
    return isKnown(show, target, { documentId, locale: named }) ? [id] : [];
  });
  if (attribute.many) return isNullList(show, attribute, seen, ids) ? null : ids;
  return ids[0] ?? nothing(show, attribute, seen);
}

/** An account's role: its caller's own, or for who may read roles. */
function roleV3(show: Show3, documentId: string | undefined): unknown {
  if (!show.isOwn && !show.allows(ROLE_UID)) return undefined;
  const role = documentId === undefined ? undefined : show.stored.role(documentId);
  if (!role) return undefined;
  const { name, description, type } = role;
  const kept = strapi3FieldsOf(role);
  return {
    _id: documentId,
    name,
    description,
    type,
    ...('__v' in kept && { __v: kept['__v'] }),
    id: documentId,
  };
}
