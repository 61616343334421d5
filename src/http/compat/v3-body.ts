import { attributeBehind } from '../../query/attributes.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { isObject } from '../../values/plain-object.js';
import type { Twin } from './rows.js';
import type { OldIds } from './v3-ids.js';
import { globalIdOf, isMorphInverse, timestampsOf } from './v3-names.js';
import type { Shown } from './v3-populate.js';

type Raw = Record<string, unknown>;

/** What showing draws on. */
export interface Show3 {
  readonly schema: Schema;
  readonly ids: OldIds;
  /** The published version of the draft with this number; undefined where it has none, or no draft is shown. */
  twin(uid: string, id: unknown): Twin | undefined;
}

/** A body as Strapi 3 has it: entries without an envelope, under their old ids. */
export function showV3(show: Show3, type: ContentType, data: unknown, shown: Shown = 'entry'): unknown {
  const one = (entry: unknown): unknown => (isObject(entry) ? entryV3(show, type, entry, shown) : entry);
  return Array.isArray(data) ? data.map(one) : one(data);
}

/** Members that Strapi 3 does not have, or has under another name. */
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
  '__type',
]);
const NEWER = new Set(['focalPoint', 'folder', 'folderPath', 'isUrlSigned']);

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function entryV3(show: Show3, type: ContentType, entry: Raw, shown: Shown): Raw {
  const values: Raw = {};
  for (const [name, value] of Object.entries(entry)) {
    if (OTHERWISE.has(name) || (type.uid === FILE_UID && NEWER.has(name))) continue;
    const attribute = attributeBehind(type, name);
    values[name] = attribute ? valueV3(show, attribute, value, shown) : value;
  }
  const id = idOf(show, type.uid, entry);
  // `within` may say no more than the id.
  const dated = type.draftAndPublish && 'publishedAt' in entry;
  return {
    ...values,
    ...timesOf(type, entry),
    _id: id,
    id,
    ...(dated && { published_at: publishedOf(show, type, entry) }),
    ...(type.localized && {
      locale: entry['locale'],
      localizations: localizations(show, type, entry['localizations']),
    }),
  };
}

const idOf = ({ ids }: Show3, uid: string, entry: Raw): string =>
  ids.idOf(uid, String(entry['documentId']), textOf(entry['locale']));

/** Of a draft the date of what is published, as both are one entry there. */
const publishedOf = ({ twin }: Show3, { uid }: ContentType, { id, publishedAt }: Raw): unknown =>
  twin(uid, id)?.publishedAt ?? publishedAt ?? null;

function timesOf(type: ContentType, entry: Raw): Raw {
  const names = timestampsOf(type);
  if (names === null || !('createdAt' in entry)) return {};
  const [created, updated] = names;
  return { [created]: entry['createdAt'], [updated]: entry['updatedAt'] };
}

const localizations = (show: Show3, type: ContentType, given: unknown): readonly Raw[] =>
  (Array.isArray(given) ? given : []).map((one: Raw) => {
    const id = idOf(show, type.uid, one);
    return {
      _id: id,
      id,
      locale: one['locale'],
      ...(type.draftAndPublish && { published_at: publishedOf(show, type, one) }),
    };
  });

function valueV3(show: Show3, attribute: Attribute, value: unknown, shown: Shown): unknown {
  if (value === null || value === undefined) return value;
  const each = (of: (item: Raw) => unknown): unknown =>
    Array.isArray(value)
      ? value.map((item) => (isObject(item) ? of(item) : item))
      : isObject(value)
        ? of(value)
        : value;
  switch (attribute.kind) {
    case 'component':
      return each((item) => (shown === 'within' ? item['id'] : componentV3(show, attribute.component, item)));
    case 'zone':
      return each((item) => {
        const uid = String(item['__component']);
        return shown === 'within' ? { __component: uid, id: item['id'] } : componentV3(show, uid, item);
      });
    case 'media': {
      const file = show.schema.contentTypes.get(FILE_UID);
      return file ? each((item) => entryV3(show, file, item, 'related')) : value;
    }
    case 'relation':
      return each((item) => referred(show, attribute, item, shown));
    default:
      return value;
  }
}

function referred(
  show: Show3,
  attribute: Extract<Attribute, { kind: 'relation' }>,
  item: Raw,
  shown: Shown,
): unknown {
  const uid = attribute.target ?? String(item['__type']);
  const target = show.schema.contentTypes.get(uid);
  if (!target) return item;
  if (shown !== 'entry' && !isMorphInverse(attribute)) return idOf(show, uid, item);
  const entry = entryV3(show, target, item, shown === 'entry' ? 'related' : 'within');
  return attribute.target === null ? { __contentType: globalIdOf(target), ...entry } : entry;
}

function componentV3(show: Show3, uid: string, item: Raw): unknown {
  const model = modelOf(show.schema, uid);
  return model ? itemV3(show, model, item) : item;
}

/** Components have numbers here, under both names. */
function itemV3(show: Show3, model: Model, item: Raw): Raw {
  const values: Raw = {};
  for (const [name, value] of Object.entries(item)) {
    const attribute = name === 'id' ? undefined : attributeBehind(model, name);
    values[name] = attribute ? inComponent(show, attribute, value) : value;
  }
  return 'id' in item ? { ...values, _id: item['id'] } : values;
}

/** What a component refers to shows ids alone (`within`); its own components and files are whole. */
function inComponent(show: Show3, attribute: Attribute, value: unknown): unknown {
  if (attribute.kind !== 'relation') return valueV3(show, attribute, value, 'entry');
  const one = (item: unknown): unknown => {
    if (!isObject(item)) return item;
    const target = show.schema.contentTypes.get(attribute.target ?? String(item['__type']));
    if (!target) return item;
    const entry = entryV3(show, target, item, 'within');
    return attribute.target === null ? { __contentType: globalIdOf(target), ...entry } : entry;
  };
  return Array.isArray(value) ? value.map(one) : one(value);
}
