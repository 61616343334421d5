import type { ReadRequest } from '../documents/read/reader.js';
import { ApiError } from '../errors.js';
import { paramsQuery } from '../query/query.js';
import type { Caller } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import { FILE_UID } from '../schema/uids.js';
import type { Change } from '../store/outbox/read-changes.js';
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

/**
 * The body of a delivery as Strapi sends it. The entry is as it is now: it may have changed again since, and one that
 * is gone is named by its ids alone.
 */
export async function payloadOf(
  { reader, config }: Pick<WebhookParts, 'reader' | 'config'>,
  type: ContentType,
  change: Change,
  projection: Projection,
): Promise<string> {
  const { event, documentId, locale, id, at, uid } = change;
  const isFile = uid === FILE_UID;
  const about = { event: webhookEvent(change), createdAt: at.toISOString() };
  const named = { id, documentId, ...(type.localized && { locale }) };
  const body = (entry: object): string =>
    JSON.stringify(isFile ? { ...about, media: entry } : { ...about, model: type.singularName, uid, entry });
  if (documentId === null) return JSON.stringify({ ...about, model: type.singularName, uid });
  if (event === 'entry.delete' || event === 'entry.unpublish') return body(named);
  const request = entryRequest(
    type,
    projection,
    { locale, status: statusOf(type, change) },
    config.webhooks.populateRelations && !isFile,
  );
  const { data } = await reader.one(request, documentId).catch((error: unknown) => {
    // What cannot be read, such as more than a read may fetch, is named at least.
    if (error instanceof ApiError && error.status < 500) return { data: null };
    throw error;
  });
  const whole = body(data ?? named);
  return whole.length > MAX_PAYLOAD ? body(named) : whole;
}
