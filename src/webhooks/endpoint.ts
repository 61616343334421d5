import type { Schema, Status } from '../schema/types.js';
import { FILE_UID } from '../schema/uids.js';
import type { Change } from '../store/outbox/read-changes.js';
import { type StoredEndpoint, storedEndpoints } from '../store/webhooks/endpoints.js';
import { didYouMean } from '../values/nearest.js';
import { isPlainObject, isTexts } from '../values/plain-object.js';
import { STRAPI_EVENTS, statusOf, WEBHOOK_EVENTS, webhookEvent } from './events.js';
import type { WebhookParts } from './parts.js';
import { isSigningSecret } from './signature.js';

/** Where changes are sent to, which of them, and what of them. */
export interface Endpoint {
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  /** Null: all types of the project, and files. */
  readonly types: readonly string[] | null;
  /** Null: all, also of types that are not localized. */
  readonly locales: readonly string[] | null;
  /** Null: both. */
  readonly status: Status | null;
  /** Whether it gets changes that a write to another entry made. */
  readonly indirect: boolean;
  /** As in a query of REST. */
  readonly populate: unknown;
  /** As in a query of REST; null: all. */
  readonly fields: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Each signs every delivery. */
  readonly secrets: readonly string[];
  /** Null: it gets deliveries. */
  readonly disabled: string | null;
  /** Whether config/webhooks defines it. */
  readonly configured: boolean;
}

const NAME = /^[\w.-]{1,64}$/;
/** A header that a client may set, with what Node accepts as its name and value. */
const [HEADER_NAME, HEADER_VALUE] = [/^[\w!#$%&'*+.^`|~-]+$/, /^[\t\x20-\x7e\x80-\xff]*$/];
/** Set for each delivery. */
const OWN_HEADERS = /^(webhook-.*|x-strapi-event|content-(type|length)|host|connection|transfer-encoding)$/i;

/** What is wrong with a value; null: nothing. */
type Check = (value: unknown, schema: Schema) => string | null;

const oneOfAll =
  (names: (schema: Schema) => readonly string[], what: string): Check =>
  (value, schema) => {
    if (!isTexts(value)) return 'expected a list of strings';
    const known = names(schema);
    const unknown = value.find((name) => !known.includes(name));
    return unknown === undefined ? null : `"${unknown}" is not ${what}${didYouMean(unknown, known)}`;
  };

/** The keys of an endpoint in config/webhooks. */
const CHECKS: Readonly<Record<string, Check>> = {
  url: (value) => {
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    if (!url || !/^https?:$/.test(url.protocol)) return 'expected an http or https URL';
    return url.username || url.password ? 'expected no credentials in the URL; use headers' : null;
  },
  events: oneOfAll(() => WEBHOOK_EVENTS, 'an event'),
  types: oneOfAll(({ contentTypes }) => [...contentTypes.keys()], 'a content type'),
  locales: (value) => (isTexts(value) ? null : 'expected a list of strings'),
  status: (value) => (value === 'draft' || value === 'published' ? null : 'expected draft or published'),
  indirect: (value) => (typeof value === 'boolean' ? null : 'expected true or false'),
  enabled: (value) => (typeof value === 'boolean' ? null : 'expected true or false'),
  populate: () => null,
  fields: () => null,
  headers: (value) => {
    if (!isPlainObject(value)) return 'expected an object of strings';
    const wrong = Object.entries(value).find(
      ([name, text]) => !HEADER_NAME.test(name) || typeof text !== 'string' || !HEADER_VALUE.test(text),
    );
    if (wrong) return `${wrong[0]} is not a header with a string as its value`;
    const own = Object.keys(value).find((name) => OWN_HEADERS.test(name));
    return own === undefined ? null : `${own} is set for each delivery`;
  },
  secret: (value) => {
    const secrets = [value].flat();
    return secrets.length > 0 &&
      secrets.every((secret) => typeof secret === 'string' && isSigningSecret(secret))
      ? null
      : 'expected whsec_ and 24 to 64 bytes as base64, or a list of such secrets';
  },
};

/** What is wrong with the definition of an endpoint, each with its key. */
export function endpointProblems(name: string, definition: unknown, schema: Schema): readonly string[] {
  if (!NAME.test(name)) return [`"${name}" is not a name: letters, digits, dots, hyphens and underscores`];
  if (!isPlainObject(definition)) return [`${name}: expected an object with a url`];
  const given = { url: undefined, ...definition };
  return Object.entries(given).flatMap(([key, value]) => {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key] : undefined;
    if (!check) return [`${name}: unknown key ${key}${didYouMean(key, Object.keys(CHECKS))}`];
    const problem = check(value, schema);
    return problem === null ? [] : [`${name}.${key}: ${problem}`];
  });
}

/** Definitions by name. */
export type EndpointDefinitions = Readonly<Record<string, unknown>>;

const listOr = <T>(value: unknown, otherwise: T): readonly string[] | T =>
  isTexts(value) ? value : otherwise;

/** The endpoint of a definition without problems. */
function endpointOf(
  name: string,
  definition: Readonly<Record<string, unknown>>,
  stored?: StoredEndpoint,
): Endpoint {
  const { url, events, types, locales, status, indirect, populate, fields, headers, secret, enabled } =
    definition;
  const now = new Date();
  const own = (stored?.secrets ?? []).filter(({ until }) => until === null || until > now);
  return {
    name,
    url: String(url),
    events: listOr(events, STRAPI_EVENTS),
    types: listOr(types, null),
    locales: listOr(locales, null),
    status: status === 'draft' || status === 'published' ? status : null,
    indirect: indirect === true,
    populate,
    fields: fields ?? null,
    headers: isPlainObject(headers)
      ? Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, String(value)]))
      : {},
    secrets: [...[secret ?? []].flat().map(String), ...own.map((one) => one.secret)],
    disabled: enabled === false ? 'enabled is false' : (stored?.disabled?.reason ?? null),
    configured: stored?.definition !== definition,
  };
}

/** The endpoints of config/webhooks, and those that are stored besides. */
export function endpointsOf(
  configured: EndpointDefinitions,
  stored: readonly StoredEndpoint[],
): readonly Endpoint[] {
  const states = new Map(stored.map((one) => [one._id, one]));
  const own = Object.entries(configured).flatMap(([name, definition]) =>
    isPlainObject(definition) ? [endpointOf(name, definition, states.get(name))] : [],
  );
  const added = stored.flatMap((one) =>
    one.definition && !Object.hasOwn(configured, one._id) ? [endpointOf(one._id, one.definition, one)] : [],
  );
  return [...own, ...added];
}

export const readEndpoints = async ({
  config,
  store,
}: Pick<WebhookParts, 'config' | 'store'>): Promise<readonly Endpoint[]> =>
  endpointsOf(config.webhooks.endpoints, await storedEndpoints(store.db));

/** Whether an endpoint gets a change. */
export function wants(endpoint: Endpoint, change: Change, schema: Schema): boolean {
  const type = schema.contentTypes.get(change.uid);
  if (!type || endpoint.disabled !== null) return false;
  if (change.indirect && !endpoint.indirect) return false;
  if (endpoint.types ? !endpoint.types.includes(type.uid) : type.origin !== 'api' && type.uid !== FILE_UID)
    return false;
  if (!endpoint.events.includes(webhookEvent(change))) return false;
  // All entries of a type are in all locales and versions.
  if (change.documentId === null) return true;
  if (endpoint.locales && change.locale !== null && !endpoint.locales.includes(change.locale)) return false;
  return endpoint.status === null || endpoint.status === statusOf(type, change);
}
