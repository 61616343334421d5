import { type Problem, problemAt, type Repair } from '../error.js';
import type { ContentTypeSource } from '../files/raw.js';
import { collectionNameOf } from '../model/resolve.js';
import { storageOf } from '../model/storage.js';
import { REFUSED_ROUTES } from '../names.js';

/** A name that must be unique among content types: its path in the file, and the message for a duplicate. */
interface UniqueName {
  readonly path: string;
  readonly of: (source: ContentTypeSource) => string;
  readonly taken: (name: string, by: string) => string;
  /** Strapi has the same rule, so only an import solves it. */
  readonly repair?: (source: ContentTypeSource) => Repair;
}

/** Another plural name, which nothing else has: it contains the name of the API. */
const otherPlural = ({ uid, raw }: ContentTypeSource): Repair => ({
  starts: false,
  at: 'info.pluralName',
  value: `${raw.info.pluralName}-of-${uid.replace(/^api::/, '').replace(/[._]/g, '-')}`,
});

/** A single type has no `/:id`, so its addresses are nobody else's but here. */
const REFUSED_SINGLE: ReadonlySet<string> = new Set(['connect', 'users']);

const isRefused = (source: ContentTypeSource): boolean =>
  (source.raw.kind === 'singleType' ? REFUSED_SINGLE : REFUSED_ROUTES).has(route(source));

const route = ({ raw }: ContentTypeSource): string =>
  raw.kind === 'singleType' ? raw.info.singularName : raw.info.pluralName;

/** The names that no two types may share, and the routes derived from them. */
const UNIQUE: readonly UniqueName[] = [
  {
    path: 'info.singularName',
    of: ({ raw }) => raw.info.singularName,
    taken: (name, by) => `The singular name "${name}" should be unique; ${by} has it too`,
  },
  {
    path: 'info.pluralName',
    of: ({ raw }) => raw.info.pluralName,
    taken: (name, by) => `The plural name "${name}" should be unique; ${by} has it too`,
    repair: otherPlural,
  },
  {
    path: 'info',
    of: route,
    taken: (name, by) => `another name: ${by} is also served at /${name}`,
    repair: otherPlural,
  },
  {
    path: 'collectionName',
    of: (source) => [storageOf(source)?.database ?? [], collectionNameOf(source)].flat().join('/'),
    taken: (name, by) => `another collection: "${name}" belongs to ${by}`,
    repair: ({ uid, raw }) => ({
      starts: false,
      value: `${raw.info.pluralName}_${uid.replace(/^api::/, '')}`.replace(/[^0-9A-Za-z]+/g, '_'),
    }),
  },
];

/** Checks the names of the content types, each by itself and for duplicates. */
export function checkNames(sources: readonly ContentTypeSource[]): readonly Problem[] {
  return [...sources.flatMap(ownNames), ...UNIQUE.flatMap((unique) => duplicates(unique, sources))];
}

function ownNames(source: ContentTypeSource): readonly Problem[] {
  const { file, folder, raw } = source;
  const { singularName, pluralName } = raw.info;
  const refused: readonly (readonly [boolean, path: string, expected: string, repair: Repair])[] = [
    [
      folder !== singularName,
      'info.singularName',
      `The key of the content-type should be the same as its singularName. Found ${folder} and ${singularName}`,
      { starts: false, value: folder },
    ],
    [
      singularName === pluralName,
      'info.pluralName',
      `a name other than the singular "${singularName}"`,
      { starts: false, value: `${singularName}-list` },
    ],
    [
      isRefused(source),
      'info',
      `another name: /${route(source)} is a route of the server`,
      raw.kind === 'singleType'
        ? { starts: false, at: 'kind', value: 'collectionType' }
        : { starts: true, at: 'info.pluralName', value: `${pluralName}-list` },
    ],
  ];
  return refused.flatMap(([is, path, expected, repair]) =>
    is ? [problemAt(file, path, expected, repair)] : [],
  );
}

function duplicates(unique: UniqueName, sources: readonly ContentTypeSource[]): readonly Problem[] {
  const seen = new Map<string, string>();
  return sources.flatMap((source) => {
    const name = unique.of(source);
    const by = seen.get(name);
    if (by === undefined) {
      seen.set(name, source.uid);
      return [];
    }
    return [problemAt(source.file, unique.path, unique.taken(name, by), unique.repair?.(source))];
  });
}
