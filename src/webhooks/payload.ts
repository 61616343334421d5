import type { ReadRequest } from '../documents/read/reader.js';
import { ApiError } from '../errors.js';
import { paramsQuery } from '../query/query.js';
import type { Caller } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { FILE_UID } from '../schema/uids.js';
import type { Change } from '../store/outbox/read-changes.js';
import { groupBy } from '../values/group.js';
import { objectAt, type PlainObject } from '../values/plain-object.js';
import type { Endpoint } from './endpoint.js';
import { statusOf, webhookEvent } from './events.js';
import type { WebhookParts } from './parts.js';

/** Maximum characters of a payload: a larger one names the entry without its content. */
const MAX_PAYLOAD = 256_000;

/** Everything is granted, but private attributes stay private. */
const RECEIVER: Caller = { grants: { version: 'webhook', allows: () => true } };

type Projection = Pick<Endpoint, 'populate' | 'fields'>;

export const projectionKey = ({ populate, fields }: Projection): string => JSON.stringify([populate, fields]);

/** Components, zones and files, which are part of an entry. */
const ownParts = ({ attributes }: ContentType): readonly string[] =>
  [...attributes.values()].flatMap((attribute) =>
    attribute.kind === 'component' || attribute.kind === 'zone' || attribute.kind === 'media'
      ? attribute.private
        ? []
        : [attribute.name]
      : [],
  );

/**
 * The read of what is sent of an entry. @param populates whether relations are populated if the endpoint names
 * neither fields nor what to populate
 */
export const entryRequest = (
  type: ContentType,
  { populate = null, fields = null }: Projection,
  { locale, status }: { readonly locale: string | null; readonly status: 'draft' | 'published' },
  populates: boolean,
): ReadRequest => ({
  type,
  caller: RECEIVER,
  query: paramsQuery(
    {
      ...(fields === null ? { populate: populate ?? (populates ? '*' : ownParts(type)) } : { fields }),
      ...(populate !== null && { populate }),
      ...(locale !== null && { locale }),
      ...(type.draftAndPublish && { status }),
    },
    'rest',
  ),
});

/** The same read of several entries. Its plan serves no other, so it is not kept. */
const ofDocuments = ({ query, ...request }: ReadRequest, documentIds: readonly string[]): ReadRequest => ({
  ...request,
  unpaginated: true,
  query: {
    mode: query.mode,
    key: null,
    params: { ...query.params, filters: { documentId: { $in: documentIds } } },
  },
});

/** A change of an entry whose type is known. */
interface Changed {
  readonly type: ContentType;
  readonly change: Change;
}

type PayloadParts = Pick<WebhookParts, 'reader' | 'config'>;

/**
 * The bodies of deliveries as Strapi sends them. The entries are as they are now: they may have changed again since, and
 * those that are gone are named by their ids alone. Those of one type, locale and version are one read.
 */
export async function payloadsOf(
  parts: PayloadParts,
  changed: readonly Changed[],
  projection: Projection,
): Promise<ReadonlyMap<Change, string>> {
  const groups = groupBy(changed.filter(isShown), ({ type, change }) =>
    JSON.stringify([type.uid, change.locale, statusOf(type, change)]),
  );
  const found = new Map<Change, object>();
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const entries = await entriesOf(parts, group, projection);
      for (const { change } of group) {
        const entry = entries.get(change.documentId);
        if (entry) found.set(change, entry);
      }
    }),
  );
  return new Map(
    changed.map(({ type, change }) => [change, payloadOf(type, change, found.get(change) ?? null)]),
  );
}

/** What is gone, and what is not about one entry, is not read. */
const isShown = ({ change: { event, documentId } }: Changed): boolean =>
  documentId !== null && event !== 'entry.delete' && event !== 'entry.unpublish';

/** The entries of changes of one type, locale and version, by documentId. */
async function entriesOf(
  parts: PayloadParts,
  group: readonly Changed[],
  projection: Projection,
): Promise<ReadonlyMap<string | null, object>> {
  const [first] = group;
  if (!first) return new Map();
  const { type, change } = first;
  const { populateRelations } = parts.config.webhooks;
  const version = { locale: change.locale, status: statusOf(type, change) };
  const request = entryRequest(type, projection, version, populateRelations && type.uid !== FILE_UID);
  const ids = [...new Set(group.map(({ change: { documentId } }) => String(documentId)))];
  if (ids.length === 1 && ids[0] !== undefined) {
    const { data } = await parts.reader.one(request, ids[0]).catch(unlessUnreadable);
    return new Map(data ? [[ids[0], data]] : []);
  }
  const { data } = await parts.reader.list(ofDocuments(request, ids)).catch(unlessUnreadable);
  if (data) return new Map(data.map((entry) => [String(entry['documentId']), entry]));
  // One of them may be the reason.
  const alone = group.map((one) => entriesOf(parts, [one], projection));
  return new Map((await Promise.all(alone)).flatMap((entries) => [...entries]));
}

/** What cannot be read, such as more than a read may fetch, is named at least. */
function unlessUnreadable(error: unknown): { readonly data: null } {
  if (error instanceof ApiError && error.status < 500) return { data: null };
  throw error;
}

/** A payload that names its entry without its content. */
export function namedAlone(payload: string): string {
  const body = objectAt(JSON.parse(payload));
  const names = (['entry', 'media'] as const).filter((key) => key in body);
  const bare = ({ id, documentId, locale }: PlainObject) => ({ id, documentId, locale });
  return JSON.stringify({
    ...body,
    ...Object.fromEntries(names.map((key) => [key, bare(objectAt(body, key))])),
  });
}

function payloadOf(type: ContentType, change: Change, entry: object | null): string {
  const { documentId, locale, id, at, uid } = change;
  const about = { event: webhookEvent(change), createdAt: at.toISOString() };
  const model = { model: type.singularName, uid };
  if (documentId === null) return JSON.stringify({ ...about, ...model });
  const named = { id, documentId, ...(type.localized && { locale }) };
  const body = (shown: object): string =>
    JSON.stringify(uid === FILE_UID ? { ...about, media: shown } : { ...about, ...model, entry: shown });
  const whole = body(entry ?? named);
  return whole.length > MAX_PAYLOAD ? body(named) : whole;
}
