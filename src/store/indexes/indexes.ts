import type { CreateIndexesOptions } from 'mongodb';
import { storedTypes, uniqueAttributes } from '../../schema/find.js';
import { collectionName, collectionsOf, historyName } from '../../schema/stored/collections.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { type Index, uniqueIndexesOf } from './unique.js';

/** An index and its collection. `name` is the driver's default for the keys, unless the options set one. */
export interface PlacedIndex extends Index {
  readonly collection: string;
  readonly name: string;
}

const UNIQUE: CreateIndexesOptions = { unique: true };

/**
 * The indexes of one collection of a content type: its identifiers, the order of its lists, the references
 * that inverse relations and filters look up, and those in the schema file.
 */
const indexesOf = (type: ContentType): readonly Index[] => [
  ...identities(type),
  ...(type.localized ? [{ keys: { locale: 1, id: 1 }, options: {} } as const] : []),
  ...referenceIndexes(type),
  // Ids of localizations from Strapi 3, by which its clients request entries (`rest.compat`).
  ...(type.localized && type.strapi3 ? [{ keys: { '_strapi3._id': 1 }, options: {} } as const] : []),
  ...type.indexes.filter(({ unique }) => !unique || type.shard !== null).map(({ keys }) => inOrder(keys)),
];

const referenceIndexes = (type: ContentType): readonly Index[] => {
  const references = [...type.attributes.values()].filter(
    (attribute) =>
      attribute.kind === 'media' ||
      // Entries are rarely filtered by their creator, and each index makes every write slower.
      (attribute.kind === 'relation' && attribute.owner && attribute.target !== null && !attribute.system),
  );
  const polymorphic = [...type.attributes.values()].filter(
    (attribute) => attribute.kind === 'relation' && attribute.owner && attribute.target === null,
  );
  return [
    ...references.map(({ name }) => inOrder({ [name]: 1 })),
    ...polymorphic.map(({ name }) => ({ keys: { [`${name}.documentId`]: 1 }, options: {} }) as const),
  ];
};

/** The indexes of the kept versions: of one document, of a moment, and those that relations look up. */
const historyIndexes = (type: ContentType): readonly Index[] =>
  type.history === null
    ? []
    : [
        { keys: { documentId: 1, '_version.until': 1 }, options: {} },
        { keys: { '_version.until': 1, id: 1 }, options: {} },
        ...referenceIndexes(type),
      ];

/**
 * A unique index of a sharded collection must begin with the shard key, so there `id` is unique only by its
 * sequence.
 */
function identities({ shard }: ContentType): readonly Index[] {
  const byDocument = { documentId: 1, locale: 1 } as const;
  if (shard === null)
    return [
      { keys: { id: 1 }, options: UNIQUE },
      { keys: byDocument, options: UNIQUE },
    ];
  const [first] = Object.keys(shard);
  return [
    { keys: { id: 1 }, options: {} },
    { keys: { ...shard, ...byDocument }, options: UNIQUE },
    ...(first === 'documentId' ? [] : [{ keys: byDocument, options: {} }]),
  ];
}

/**
 * Every list is finally ordered by `id`: with `id` as the last key, an index serves a filter or a sort
 * together with the order of ties.
 */
const inOrder = (keys: Index['keys']): Index => ({ keys: { ...keys, id: keys['id'] ?? 1 }, options: {} });

/** All indexes that the schemas require, without duplicates. */
export function desiredIndexes(schema: Schema): readonly PlacedIndex[] {
  const placed = storedTypes(schema).flatMap((type) => {
    const published = collectionName(type, 'published');
    const names = collectionsOf(type).toReversed();
    return [
      ...names.flatMap((name) => indexesOf(type).map((index) => place(name, index))),
      ...(type.shard === null ? uniqueIndexesOf(type) : []).map((index) => place(published, index)),
      ...historyIndexes(type).map((index) => place(historyName(type), index)),
      // The partial unique indexes serve neither sorts nor prefix searches.
      ...names.flatMap((collection) =>
        uniqueAttributes(type).map(({ name }) => place(collection, inOrder({ [name]: 1 }))),
      ),
    ];
  });
  return [...new Map(placed.map((index) => [`${index.collection} ${index.name}`, index])).values()];
}

const place = (collection: string, { keys, options }: Index): PlacedIndex => ({
  collection,
  keys,
  options,
  name: options.name ?? Object.entries(keys).flat().join('_'),
});
