import type { Config } from '../config/types.js';
import type { Project } from '../project.js';
import { routeOf } from '../schema/find.js';
import type { ContentType, ScalarType, Schema } from '../schema/types.js';

/** The URL of the server for a browser on this machine. */
export const addressOf = ({ server }: Config, port: number): string => {
  if (server.url !== null) return server.url;
  const everywhere = server.host === '0.0.0.0' || server.host === '::';
  return `http://${everywhere ? 'localhost' : server.host}:${port}`;
};

const nestedIn = (type: ContentType): number =>
  [...type.attributes.values()].filter((a) => a.kind !== 'scalar' && !a.system).length;

const firstOf = (type: ContentType, types: ReadonlySet<ScalarType>): string | undefined =>
  [...type.attributes.values()].find(
    (a) => a.kind === 'scalar' && types.has(a.type) && !a.system && !a.private,
  )?.name;

const TEXT = new Set<ScalarType>(['string']);
const FRACTION = new Set<ScalarType>(['decimal', 'float']);

/** The uids of the types that the public role may list. */
export const publicTypes = async ({ access, schema }: Project): Promise<ReadonlySet<string>> => {
  const role = await access.roles.byType('public');
  return new Set([...schema.contentTypes.keys()].filter((uid) => role?.grants.allows(`${uid}.find`)));
};

const lists = (schema: Schema): readonly ContentType[] =>
  [...schema.contentTypes.values()]
    .filter((t) => t.origin === 'api' && t.kind === 'collectionType')
    .sort((left, right) => nestedIn(right) - nestedIn(left));

/**
 * Three URLs of a list: plain, populated and sorted. They contain no brackets, so curl needs no `-g` for
 * them.
 */
const urlsOf = (type: ContentType | undefined, api: string): readonly string[] => {
  if (!type) return [];
  const url = `${api}/${routeOf(type)}`;
  const fields = [firstOf(type, TEXT), firstOf(type, FRACTION)].filter((name) => name !== undefined);
  const sorted =
    fields.length === 0
      ? `sort=${type.attributes.has('createdAt') ? 'createdAt' : 'id'}:desc`
      : `sort=${fields.at(-1)}:desc&fields=${fields.join(',')}`;
  return [url, `${url}?populate=*`, `${url}?${sorted}`];
};

/** How to open a list, if none is public. */
const closedHint = (type: ContentType): readonly string[] => [
  'No list is public yet. To open one, list its actions in config/roles, or',
  '',
  `  npx mangrove role grant public ${type.uid}.find ${type.uid}.findOne`,
  '',
  `A token that can read everything, including ${routeOf(type)}: npx mangrove token create me`,
  '',
];

/** The text printed once the server listens. `key`: the token created by the first start. */
export const greeting = (
  { config, schema }: Pick<Project, 'config' | 'schema'>,
  open: ReadonlySet<string>,
  port: number,
  key: string | null,
): string => {
  const api = `${addressOf(config, port)}${config.rest.prefix}`;
  const [richest] = lists(schema);
  const shown = lists(schema).find(({ uid }) => open.has(uid));
  const urls = urlsOf(shown ?? (key === null ? undefined : richest), api);
  const lines = [
    `Mangrove serves ${api}`,
    '',
    ...(shown || !richest ? [] : closedHint(richest)),
    ...(urls.length > 0 && shown
      ? ["Try these in a browser, or in a terminal with curl -g '<address>':", '']
      : []),
    ...(shown ? [...urls.map((url) => `  ${url}`), ''] : []),
  ];
  if (key === null) return lines.join('\n');
  return [
    ...lines,
    'This was the first start, and the content of the project has been loaded. Here is a full-access token; it will not be shown again.',
    '',
    `  ${key}`,
    '',
    `  curl -g -H 'Authorization: Bearer ${key}' '${urls[0] ?? `${api}/users`}${urls[0] ? '?status=draft' : ''}'`,
    '',
  ].join('\n');
};
