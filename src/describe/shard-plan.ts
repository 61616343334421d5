import { collectionName } from '../pipeline/collection.js';
import type { ContentType, Schema, ShardKey } from '../schema/types.js';

/** Document ids begin with a letter, each as likely as the other: so many chunks to begin with spread a first load. */
const SPLITS = ['e', 'i', 'm', 'q', 'u'];

/** Commands for mongosh, in their order. Indexes are made by `mangrove indexes sync` before, since a shard key needs one. */
export function shardPlan(schema: Schema, database: string, locales: readonly string[]): readonly string[] {
  const types = [...schema.contentTypes.values()].flatMap((type) =>
    type.shard === null ? [] : [{ type, key: type.shard }],
  );
  if (types.length === 0) return [];
  return [
    '// First: mangrove indexes sync. Then, in mongosh on a mongos:',
    '// Since 6.0 this has no effect: sharding the first collection does it.',
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
  const names = new Set([collectionName(type, 'published'), collectionName(type, 'draft')]);
  const byLocale = Object.keys(key)[0] === 'locale';
  const stored = type.localized ? locales : [null];
  return [...names].flatMap((name) => {
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

/** A bound names every field of the key. */
const boundOf = (key: ShardKey, at: Readonly<Record<string, string | null>>): string =>
  `{ ${Object.keys(key)
    .map((field) => `${field}: ${at[field] === undefined ? 'MinKey' : JSON.stringify(at[field])}`)
    .join(', ')} }`;

/** An example: each locale on shards of its own. */
const zones = (namespace: string, locales: readonly string[]): readonly string[] =>
  locales.flatMap((locale) => [
    `// sh.addShardToZone('<shard>', ${JSON.stringify(locale)});`,
    `// sh.updateZoneKeyRange(${namespace}, { locale: ${JSON.stringify(locale)}, documentId: MinKey }, { locale: ${JSON.stringify(locale)}, documentId: MaxKey }, ${JSON.stringify(locale)});`,
  ]);
