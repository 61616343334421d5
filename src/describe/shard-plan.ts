import { collectionsOf } from '../schema/stored/collections.js';
import type { ContentType, Schema, ShardKey } from '../schema/types.js';

/** Document ids begin with evenly distributed letters; this many initial chunks spread the first load. */
const SPLITS = ['e', 'i', 'm', 'q', 'u'];

/**
 * Commands for mongosh, in order. Requires indexes on the shard keys, which `mangrove indexes sync` creates.
 */
export function shardPlan(schema: Schema, database: string, locales: readonly string[]): readonly string[] {
  const types = [...schema.contentTypes.values()].flatMap((type) =>
    type.shard === null ? [] : [{ type, key: type.shard }],
  );
  if (types.length === 0) return [];
  return [
    '// First: mangrove indexes sync. Then, in mongosh on a mongos:',
    '// Not needed since 6.0, where sharding the first collection does it.',
    `sh.enableSharding(${JSON.stringify(database)});`,
    ...types.flatMap(({ type, key }) => ofType(type, key, database, locales)),
  ];
}

function ofType(
  type: ContentType,
  key: ShardKey,
  database: string,
  locales: readonly string[],
): readonly string[] {
  const byLocale = Object.keys(key)[0] === 'locale';
  const stored = type.localized ? locales : [null];
  return collectionsOf(type)
    .toReversed()
    .flatMap((name) => {
      const namespace = JSON.stringify(`${database}.${name}`);
      const splits = byLocale
        ? stored.flatMap((locale) => SPLITS.map((documentId) => ({ locale, documentId })))
        : SPLITS.map((documentId) => ({ documentId }));
      return [
        `// ${type.uid}`,
        `sh.shardCollection(${namespace}, ${JSON.stringify(key)});`,
        ...splits.map((at) => `sh.splitAt(${namespace}, ${boundOf(key, at)});`),
        '// Since 6.0.3 the balancer counts bytes, so empty ranges stay on one shard unless they are moved:',
        ...splits.map((at) => `// sh.moveChunk(${namespace}, ${boundOf(key, at)}, '<shard>');`),
        ...(byLocale && type.localized ? zones(namespace, locales) : []),
      ];
    });
}

/** A bound contains every field of the key. */
const boundOf = (key: ShardKey, at: Readonly<Record<string, string | null>>): string =>
  `{ ${Object.keys(key)
    .map((field) => `${field}: ${at[field] === undefined ? 'MinKey' : JSON.stringify(at[field])}`)
    .join(', ')} }`;

/** An example that puts each locale on its own shards. */
const zones = (namespace: string, locales: readonly string[]): readonly string[] =>
  locales.flatMap((locale) => [
    `// sh.addShardToZone('<shard>', ${JSON.stringify(locale)});`,
    `// sh.updateZoneKeyRange(${namespace}, { locale: ${JSON.stringify(locale)}, documentId: MinKey }, { locale: ${JSON.stringify(locale)}, documentId: MaxKey }, ${JSON.stringify(locale)});`,
  ]);
