import { type Problem, problemAt } from '../error.js';
import type { ModelSource, RawAttribute, RawStorage } from '../files/raw.js';
import { type FindSource, storageOf } from '../model/storage.js';
import { dbRefPath } from '../stored/paths.js';
import type { Schema } from '../types.js';
import { FILE_UID } from '../uids.js';

/**
 * If Mangrove's own collections are in another database: relations between adopted types and others, and
 * drafts of adopted types, which are then impossible.
 */
export const acrossDatabases = (schema: Schema): readonly Problem[] =>
  [...schema.contentTypes.values()].flatMap((type) => [
    ...(type.storage?.drafts
      ? [
          problemAt(
            type.file ?? type.uid,
            `${STORAGE}.drafts`,
            'none: "database.system" keeps drafts in another database, which queries cannot reach',
          ),
        ]
      : []),
    ...[...type.attributes.values()].flatMap((attribute) => {
      if (attribute.kind !== 'relation' && attribute.kind !== 'media') return [];
      const uid = attribute.kind === 'media' ? FILE_UID : attribute.target;
      const target = schema.contentTypes.get(uid ?? '');
      if (!target || (target.storage === null) === (type.storage === null)) return [];
      return [
        problemAt(
          type.file ?? type.uid,
          `attributes.${attribute.name}`,
          `no relation to ${target.uid}, which "database.system" keeps in another database`,
        ),
      ];
    }),
  ]);

type Found = readonly (readonly [path: string, expected: string])[];

const STORAGE = 'pluginOptions.mangrove.storage';

/**
 * Checks the storage settings of a model, and its relations and components across the boundary between
 * adopted collections and others (decision 006).
 */
export function checkStorage(source: ModelSource, find: FindSource): readonly Problem[] {
  const storage = storageOf(source);
  const found = [
    ...(storage ? [...ownProblems(source, storage), ...namedProblems(source, storage)] : []),
    ...Object.entries(source.raw.attributes).flatMap(([name, raw]) =>
      joinProblems(source, raw, find).map(
        ([option, says]) => [`attributes.${name}.${option}`, says] as const,
      ),
    ),
  ];
  return found.map(([path, expected]) => problemAt(source.file, path, expected));
}

function ownProblems(source: ModelSource, { write, timestamps, drafts, database }: RawStorage): Found {
  if (source.model === 'component') return [];
  const { options, pluginOptions } = source.raw;
  const refused: readonly (readonly [unknown, path: string, expected: string])[] = [
    [
      options?.draftAndPublish && !drafts,
      'options.draftAndPublish',
      `false, or "${STORAGE}.drafts": the documents of other programs have no drafts`,
    ],
    [drafts && !write, `${STORAGE}.drafts`, 'none without "write": publishing writes to the collection'],
    [
      drafts && database !== undefined,
      `${STORAGE}.drafts`,
      'none with "database": drafts are in the database of the project',
    ],
    [
      pluginOptions?.i18n?.localized,
      'pluginOptions.i18n.localized',
      'false: the documents of other programs have no locales',
    ],
    [options?.shard, 'options.shard', 'none: the owner of the collection decides how it is sharded'],
    [options?.history, 'options.history', 'none: the documents of other programs have no kept versions'],
    [
      timestamps && !write,
      `${STORAGE}.timestamps`,
      'none without "write": nothing is written to the collection',
    ],
  ];
  return refused.flatMap(([is, path, expected]) => (is ? [[path, expected] as const] : []));
}

/**
 * Names in the storage settings that are not attributes, and references of attributes that are not stored
 * relations.
 */
function namedProblems(
  { raw }: ModelSource,
  { fields, references, lists, texts, integers, timestamps, drafts }: RawStorage,
): Found {
  const attributes: Readonly<Record<string, RawAttribute>> = raw.attributes;
  const times = [...(timestamps ? ['createdAt', 'updatedAt'] : []), ...(drafts ? ['publishedAt'] : [])];
  const has = (name: string): boolean => Object.hasOwn(attributes, name);
  const isStored = (name: string): boolean =>
    attributes[name]?.type === 'relation' && (attributes[name]?.mappedBy ?? null) === null;
  return [
    ...Object.keys(fields ?? {})
      .filter((name) => !has(name) && !times.includes(name))
      .map((name) => [`${STORAGE}.fields.${name}`, `the name of an attribute, not "${name}"`] as const),
    ...Object.entries(fields ?? {})
      .filter(
        ([name, path]) => dbRefPath(path) !== null && !(isStored(name) && !(name in (references ?? {}))),
      )
      .map(
        ([name, path]) =>
          [
            `${STORAGE}.fields.${name}`,
            `a path without $id, unless it is a relation by _id, not "${path}"`,
          ] as const,
      ),
    ...Object.keys(references ?? {})
      .filter((name) => !isStored(name))
      .map((name) => [`${STORAGE}.references.${name}`, STORED_RELATION] as const),
    ...(texts ?? [])
      .filter((name) => !isStored(name))
      .map((name) => [`${STORAGE}.texts`, `${STORED_RELATION}, not "${name}"`] as const),
    ...(lists ?? [])
      .filter((name) => !has(name) || NO_LISTS.has(attributes[name]?.type ?? ''))
      .map((name) => [`${STORAGE}.lists`, `names of scalar attributes, not "${name}"`] as const),
    ...Object.keys(integers ?? {})
      .filter((name) => !has(name) || attributes[name]?.type !== 'integer')
      .map((name) => [`${STORAGE}.integers.${name}`, `the name of an integer, not "${name}"`] as const),
  ];
}

const STORED_RELATION = 'the name of a relation that is stored here';

const NO_LISTS = new Set<string>([
  'relation',
  'media',
  'component',
  'dynamiczone',
  'json',
  'blocks',
  'password',
  'uid',
]);

const databaseOf = (source: ModelSource): string | null => storageOf(source)?.database ?? null;

function joinProblems(source: ModelSource, raw: RawAttribute, find: FindSource): Found {
  const adopted = storageOf(source) !== null;
  if (raw.type === 'dynamiczone')
    return adopted ? [['type', 'another type: adopted documents have no dynamic zones']] : [];
  if (raw.type === 'component') {
    const component = find(raw.component ?? '');
    if (!component || (storageOf(component) !== null) === adopted) return [];
    const says = adopted ? 'with' : 'without';
    return [['component', `a component ${says} "${STORAGE}", unlike "${raw.component}"`]];
  }
  if (raw.type !== 'relation') return [];
  if (adopted && raw.relation?.startsWith('morph'))
    return [['relation', 'a relation to one type: adopted documents have no polymorphic ones']];
  const target = find(raw.target ?? '');
  if (target && storageOf(target) && raw.relation?.startsWith('morph'))
    return [['relation', 'a relation to one type: polymorphic ones cannot refer to adopted documents']];
  return target && source.model === 'contentType' && databaseOf(source) !== databaseOf(target)
    ? [['target', 'a type of the same database: queries cannot reach another']]
    : [];
}
