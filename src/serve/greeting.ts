import type { Config } from '../config/types.js';
import { routeOf } from '../schema/find.js';
import type { ContentType, ScalarType, Schema } from '../schema/types.js';

/** Where a person on this machine reaches the server. */
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

/** Three addresses of the richest list: as it is, with everything around it, and ordered. They hold no bracket, so that curl takes them as they are. */
export const urlsToTry = (schema: Schema, api: string): readonly string[] => {
  const [type] = [...schema.contentTypes.values()]
    .filter((t) => t.origin === 'api' && t.kind === 'collectionType')
    .sort((left, right) => nestedIn(right) - nestedIn(left));
  if (!type) return [];
  const url = `${api}/${routeOf(type)}`;
  const fields = [firstOf(type, TEXT), firstOf(type, FRACTION)].filter((name) => name !== undefined);
  const sorted =
    fields.length === 0 ? 'sort=createdAt:desc' : `sort=${fields.at(-1)}:desc&fields=${fields.join(',')}`;
  return [url, `${url}?populate=*`, `${url}?${sorted}`];
};

/** What is printed once the server listens. `key`: what the first start made to try it with. */
export const greeting = (config: Config, schema: Schema, port: number, key: string | null): string => {
  const api = `${addressOf(config, port)}${config.rest.prefix}`;
  const urls = urlsToTry(schema, api);
  const lines = [
    `Mangrove serves ${api}`,
    '',
    ...(urls.length > 0 ? ["Try these in a browser, or in a terminal with curl -g '<address>':", ''] : []),
    ...urls.map((url) => `  ${url}`),
    '',
  ];
  if (key === null) return lines.join('\n');
  return [
    ...lines,
    'This was the first start: the content of the project is in place, and here is a full-access token. It is shown this once.',
    '',
    `  ${key}`,
    '',
    `  curl -g -H 'Authorization: Bearer ${key}' '${urls[0] ?? `${api}/users`}${urls[0] ? '?status=draft' : ''}'`,
    '',
  ].join('\n');
};
