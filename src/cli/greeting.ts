import type { Config } from '../config/types.js';
import { routeOf } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import type { FirstRun } from './first-run.js';

/** Where a person on this machine reaches the server. */
export const addressOf = ({ server }: Config, port: number): string => {
  if (server.url !== null) return server.url;
  const everywhere = server.host === '0.0.0.0' || server.host === '::';
  return `http://${everywhere ? 'localhost' : server.host}:${port}`;
};

const firstText = (type: ContentType): string | undefined =>
  [...type.attributes.values()].find(
    (a) => a.kind === 'scalar' && a.type === 'string' && !a.system && !a.private,
  )?.name;

/** Three addresses that answer something worth reading: a list, the same with everything around it, sorted titles. None needs quoting in a browser. */
export const urlsToTry = (schema: Schema, api: string): readonly string[] => {
  const lists = [...schema.contentTypes.values()].filter(
    (t) => t.origin === 'api' && t.kind === 'collectionType',
  );
  const type =
    lists.find((t) => [...t.attributes.values()].filter((a) => a.kind !== 'scalar').length > 4) ?? lists[0];
  if (!type) return [];
  const url = `${api}/${routeOf(type)}`;
  const text = firstText(type);
  const sorted = text === undefined ? 'sort=createdAt:desc' : `fields=${text}&sort=${text}:desc`;
  return [url, `${url}?populate=*`, `${url}?${sorted}`];
};

/** What is printed once the server listens. */
export const greeting = (config: Config, schema: Schema, port: number, first: FirstRun | null): string => {
  const api = `${addressOf(config, port)}${config.rest.prefix}`;
  const lines = [`Mangrove serves ${api}`, '', ...urlsToTry(schema, api).map((url) => `  ${url}`), ''];
  if (first === null) return lines.join('\n');
  return [
    ...lines,
    'This was the first start: the content of the project is in place, and here is a full-access token. It is shown this once.',
    '',
    `  ${first.key}`,
    '',
    `  curl -H 'Authorization: Bearer <token>' '${api}/users'`,
    '',
  ].join('\n');
};
