import type {
  ComponentSource,
  ContentTypeSource,
  RawAttribute,
  RawComponent,
  RawContentType,
  RawStorage,
  RawStrapi3,
} from '../files/raw.js';
import { snakeCase } from '../names.js';
import type {
  Attribute,
  Component,
  ContentType,
  Declared,
  HistoryLimits,
  IndexHint,
  ShardKey,
  Strapi3Names,
} from '../types.js';
import { resolveAttribute } from './attribute.js';
import { deepFreeze, frozenMap } from './freeze.js';
import { type FindSource, resolveStorage, storageOf, storedPath } from './storage.js';
import { adoptedAttributes, adoptedItemId, componentId, SYSTEM_TYPES, systemAttributes } from './system.js';

/** Resolves a checked content type and adds its system attributes. Frozen. */
export function resolveContentType(
  source: ContentTypeSource,
  privateNames: readonly string[],
  find: FindSource,
): ContentType {
  const { raw, uid } = source;
  const storage = storageOf(source);
  const localized = raw.pluginOptions?.i18n?.localized ?? false;
  const populateCreatorFields = raw.options?.populateCreatorFields ?? false;
  const hidden = new Set([...privateNames, ...(raw.options?.privateAttributes ?? [])]);
  const { first, last } = storage
    ? adoptedAttributes(resolveStorage(storage).id, keptTimes(source, storage), (name) =>
        storedPath(storage, name),
      )
    : systemAttributes({ uid, localized, populateCreatorFields });
  const automatic = new Set([...(storage ? [] : Object.keys(SYSTEM_TYPES)), ...last.map(({ name }) => name)]);
  // Exports of Strapi repeat the automatic attributes; ours are used.
  const own = Object.entries(raw.attributes).filter(([name]) => !automatic.has(name));
  const attributes = attributeMap([
    ...first,
    ...resolveAll(own, { localized, private: hidden, source, find }),
    ...last.map((attribute) => (hidden.has(attribute.name) ? { ...attribute, private: true } : attribute)),
  ]);
  return Object.freeze({
    modelType: 'contentType',
    uid,
    displayName: raw.info.displayName,
    attributes,
    file: source.origin === 'api' ? source.file : null,
    declared: declaredIn(raw),
    kind: raw.kind ?? 'collectionType',
    singularName: raw.info.singularName,
    pluralName: raw.info.pluralName,
    collectionName: collectionNameOf(source),
    draftAndPublish: storage ? (storage.drafts ?? false) : (raw.options?.draftAndPublish ?? false),
    localized,
    populateCreatorFields,
    indexes: deepFreeze(indexHints(source, attributes)),
    shard: shardKeyOf(raw.options?.shard ?? false),
    history: raw.options?.history ? historyOf(raw.options.history) : null,
    strapi3: raw.options?.strapi3 ? deepFreeze(strapi3Names(raw.options.strapi3)) : null,
    storage: storage && Object.freeze(resolveStorage(storage)),
    origin: source.origin,
  });
}

/**
 * The timestamps that Mangrove maintains in an adopted collection; `publishedAt` only if the file configures
 * it.
 */
function keptTimes(
  { raw }: ContentTypeSource,
  { timestamps, drafts, fields }: RawStorage,
): readonly string[] {
  const dated = timestamps || [raw.attributes, fields ?? {}].some((names) => Object.hasOwn(names, PUBLISHED));
  return [...(timestamps ? ['createdAt', 'updatedAt'] : []), ...(drafts && dated ? [PUBLISHED] : [])];
}

const PUBLISHED = 'publishedAt';

const shardKeyOf = (shard: boolean | ShardKey): ShardKey | null =>
  shard === true ? { documentId: 1 } : shard === false ? null : shard;

const historyOf = ({ days = null, count = null }: Partial<HistoryLimits>): HistoryLimits =>
  Object.freeze({ days, count });

function strapi3Names({ globalId = '', timestamps }: RawStrapi3): Strapi3Names {
  const [created = 'createdAt', updated = 'updatedAt'] = timestamps || [];
  return { globalId: globalId || null, timestamps: timestamps === false ? null : [created, updated] };
}

/** Resolves a checked component. Frozen. */
export function resolveComponent(
  source: ComponentSource,
  privateNames: readonly string[],
  find: FindSource,
): Component {
  const storage = storageOf(source);
  const itemId = storage?.id === undefined ? [] : [adoptedItemId(storage.id)];
  const hidden = new Set([...privateNames, ...(source.raw.options?.privateAttributes ?? [])]);
  const own = resolveAll(Object.entries(source.raw.attributes), {
    localized: false,
    private: hidden,
    source,
    find,
  });
  return Object.freeze({
    modelType: 'component',
    uid: source.uid,
    displayName: source.raw.info?.displayName ?? source.uid,
    attributes: attributeMap([...(storage ? itemId : [componentId]), ...own]),
    adopted: storage !== null,
    file: source.file,
    declared: declaredIn(source.raw),
  });
}

/** The content of a file as JSON; computed defaults are left out. */
const declaredIn = ({ collectionName, info, options, pluginOptions, attributes }: Declaring): Declared =>
  deepFreeze(
    JSON.parse(
      JSON.stringify({
        collectionName: collectionName ?? null,
        info: info ?? {},
        options: options ?? {},
        pluginOptions: pluginOptions ?? {},
        attributes,
      }),
    ),
  );

type Declaring = (RawContentType | RawComponent) & { readonly collectionName?: string };

/** The MongoDB collection of a type: the name in the file, or else its plural. */
export const collectionNameOf = (source: ContentTypeSource): string =>
  source.collection ??
  storageOf(source)?.collection ??
  source.raw.collectionName ??
  source.raw.info.pluralName.replaceAll('-', '_');

const resolveAll = (
  own: readonly (readonly [string, RawAttribute])[],
  context: Parameters<typeof resolveAttribute>[2],
): readonly Attribute[] => own.map(([name, raw]) => resolveAttribute(name, raw, context));

const attributeMap = (list: readonly Attribute[]): ReadonlyMap<string, Attribute> =>
  frozenMap(list.map((attribute) => [attribute.name, deepFreeze(attribute)] as const));

/**
 * `indexes` of the file name SQL columns; an index is kept, with stored paths, if all its columns are
 * attributes. A column may have a direction as in `sort`, `name:desc`, for lists in descending order.
 */
function indexHints(
  { raw, uid }: ContentTypeSource,
  attributes: ReadonlyMap<string, Attribute>,
): readonly IndexHint[] {
  const byColumn = new Map([...attributes.keys()].map((name) => [snakeCase(name), name]));
  return (raw.indexes ?? []).flatMap((index, at) => {
    const keys = index.columns.flatMap((column) => {
      const [name = '', direction] = column.split(':');
      const attribute = byColumn.get(snakeCase(name));
      const stored = attributes.get(attribute ?? '')?.stored;
      return stored === undefined ? [] : [[stored, direction === 'desc' ? -1 : 1] as const];
    });
    if (keys.length < index.columns.length) return [];
    return [
      {
        name: index.name ?? `${uid}_${at}`,
        keys: Object.fromEntries(keys),
        unique: index.type === 'unique',
      },
    ];
  });
}
