import type { Identity } from '../../access/index.js';
import { errors } from '../../errors.js';
import { paramsQuery } from '../../query/query.js';
import type { ContentType } from '../../schema/types.js';
import { plainRequest } from '../content-request.js';
import type { RequestContext } from '../context.js';
import type { AppDeps } from '../deps.js';
import { idInPath } from './adapt.js';
import type { EntryKey } from './items.js';
import { entriesOf, hasEntry } from './rows.js';
import type { Stored } from './stored.js';

/** What a write of an older client means: there, an entry is one row, which is published or not. */
interface Publication {
  /** The only version to write; absent: both. */
  readonly status?: 'draft';
  /** Whether the published version goes. */
  readonly unpublishes: boolean;
}

/** The methods of requests whose bodies are written. */
export const WRITERS: ReadonlySet<string> = new Set(['POST', 'PUT']);

/** A body as older versions name what is in it. */
interface Given {
  readonly type: ContentType;
  /** In Strapi 5's terms; changed. */
  readonly query: Record<string, unknown>;
  /** The date of publication: null for a draft, undefined to leave the entry what it is. */
  readonly date: unknown;
  readonly locale: unknown;
}

/**
 * Has the query say which version and which locale a body writes, and the request, what it takes back. The path
 * names the document already. Returns the entry that is updated; null: it is new.
 */
export async function chooseVersion(
  stored: Stored,
  ctx: RequestContext,
  deps: AppDeps,
  { type, query, date, locale: given }: Given,
): Promise<EntryKey | null> {
  const isNew = ctx.method === 'POST';
  const named = isNew && idInPath(ctx) === undefined ? localeOfNew(deps, type, given) : null;
  if (named !== null) query['locale'] = named;
  const documentId = isNew ? null : (ctx.params['documentId'] ?? (await onlyDocument(stored, type)));
  const locale = String(query['locale'] ?? deps.config.plugins.i18n.defaultLocale);
  const row = documentId === null ? null : { documentId, locale };
  const { status, unpublishes } = await publicationOf(stored, type, row, date);
  delete query['status'];
  if (status) query['status'] = status;
  if (unpublishes) ctx.exchange.withdrawal = { isDone: false };
  return row;
}

const BOTH: Publication = { unpublishes: false };
const DRAFT: Publication = { status: 'draft', unpublishes: false };

async function publicationOf(
  stored: Stored,
  type: ContentType,
  row: EntryKey | null,
  date: unknown,
): Promise<Publication> {
  if (!type.draftAndPublish || (date !== undefined && date !== null)) return BOTH;
  if (row === null || type.storage) return date === null ? DRAFT : BOTH;
  const where = { documentId: row.documentId, ...(type.localized && { locale: row.locale }) };
  const isPublished = await hasEntry(stored, type, { status: 'published', where });
  if (date === null) return { ...DRAFT, unpublishes: isPublished };
  return isPublished || !(await hasEntry(stored, type, { status: 'draft', where })) ? BOTH : DRAFT;
}

/** The document of a single type; null if there is none yet. */
async function onlyDocument(stored: Stored, type: ContentType): Promise<string | null> {
  if (type.kind !== 'singleType') return null;
  const [found] = await entriesOf(stored, type, { status: type.draftAndPublish ? 'draft' : 'published' });
  return found?.documentId ?? null;
}

/** Takes back what is published, if the request is to and code of the project has written it without that. */
export async function unpublishWritten(
  ctx: RequestContext,
  identity: Identity,
  { documents }: AppDeps,
  { uid, kind }: ContentType,
): Promise<void> {
  if (ctx.exchange.withdrawal?.isDone !== false) return;
  const { locale } = ctx.exchange.query.params;
  const query = paramsQuery({ status: 'draft', ...(locale !== undefined && { locale }) }, 'rest');
  const service = documents(uid).forRequest({ ...plainRequest(ctx, identity), query });
  await service.changeVersion('unpublish', kind === 'singleType' ? null : (ctx.params['documentId'] ?? null));
}

/** In older versions a body says the locale of a new entry. Throws a 400 for an unknown one, as Strapi 4 does. */
function localeOfNew({ config }: Pick<AppDeps, 'config'>, type: ContentType, locale: unknown): string | null {
  if (!type.localized || locale === undefined || locale === null) return null;
  const known = config.plugins.i18n.locales.find((one) => one === locale);
  if (known === undefined) throw errors.application('locale-not-configured', "This locale doesn't exist");
  return known;
}
