import type { Identity } from '../../access/identity.js';
import type { Show } from '../../documents/types.js';
import { checkInputKeys } from '../../documents/validate/input-keys.js';
import { errors } from '../../errors.js';
import { parseQueryText } from '../../query/parse.js';
import type { ContentType } from '../../schema/types.js';
import type { Controller, RequestContext } from '../context.js';
import type { AppDeps } from '../deps.js';
import { wantsV4 } from './content-reads.js';

/** The data of a write: an object, or a list (which validation refuses by itself). Throws 400. */
const dataOf = (ctx: RequestContext): object => {
  const body: unknown = ctx.request.body;
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : null;
  if (typeof data !== 'object' || data === null) throw errors.missingData();
  return data;
};

const FILTERS = /^(filters(\[|%5B|=|$)|(_q|publicationFilter|hasPublishedVersion)(=|$))/i;

const withoutFilters = (query: string): string =>
  query
    .split('&')
    .filter((parameter) => !FILTERS.test(parameter))
    .join('&');

/** The controllers that write a content type, each in Strapi's order: query, `data`, keys of the body, service, answer (rules A.5). */
export const contentWrites = ({ documents, reader, schema }: AppDeps, type: ContentType) => {
  const service = documents(type.uid);

  /** The query of a write, checked as one that reads the answer; what of it concerns the write itself comes back. */
  const queryOf = (ctx: RequestContext, identity: Identity, target: 'one' | 'locales') => {
    const request = { type, query: ctx.querystring, caller: identity, mode: 'rest', v4: false } as const;
    const { node, plan } = reader.prepare({ ...request, target }).read;
    return { status: plan.status, asked: node.status, locale: node.locale };
  };

  const paramsOf = (ctx: RequestContext, identity: Identity) => {
    const { status, locale } = queryOf(ctx, identity, 'one');
    const data = dataOf(ctx);
    checkInputKeys(data, type, schema, identity);
    return { status, locale, data };
  };

  /** What was written, as a read with the same query and the same rights shows it; `filters` do not hide it. */
  const shower =
    (ctx: RequestContext, identity: Identity): Show =>
    async ({ documentId, entry }) => {
      const query = withoutFilters(ctx.querystring);
      const options = { v4: wantsV4(ctx), budget: ctx.state.budget };
      const shown = reader.shown(type, entry, query, identity, options);
      return shown ?? (await reader.one(type, documentId, query, identity, options)).data;
    };

  const answer = (ctx: RequestContext, data: unknown): void => {
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
  };

  const create: Controller = async (ctx, identity) => {
    answer(ctx, await service.create(paramsOf(ctx, identity), shower(ctx, identity)));
    ctx.status = 201;
  };

  const update = async (ctx: RequestContext, identity: Identity, documentId: string): Promise<void> => {
    const params = { ...paramsOf(ctx, identity), documentId };
    answer(ctx, await service.update(params, shower(ctx, identity)));
  };

  /** `filters` restrict what a DELETE removes (rules A.1). */
  const matches = async (ctx: RequestContext, documentId: string): Promise<boolean> => {
    const { filters, locale } = parseQueryText(ctx.querystring);
    if (filters === undefined) return true;
    const query = { filters: { $and: [{ documentId }, filters] }, locale, fields: ['id'], limit: 1 };
    const found = await Promise.all(
      ['published', 'draft'].map((status) => service.findMany({ ...query, status })),
    );
    return found.some(({ length }) => length > 0);
  };

  const remove = async (
    ctx: RequestContext,
    identity: Identity,
    documentId: string | null,
  ): Promise<void> => {
    const { asked: status, locale } = queryOf(ctx, identity, 'locales');
    if (documentId !== null && (await matches(ctx, documentId)))
      await service.delete({ documentId, locale, status });
    ctx.status = 204;
  };

  /** A single type's document: whichever locale is there names it. */
  const singleDocument = async (): Promise<string | null> => {
    const [entry] = await service.findMany({
      locale: '*',
      status: 'draft',
      fields: ['documentId'],
      limit: 1,
    });
    return entry === undefined ? null : String(entry['documentId']);
  };

  /** A single type is made by its first write. */
  const updateSingle: Controller = async (ctx, identity) => {
    const params = paramsOf(ctx, identity);
    const show = shower(ctx, identity);
    const documentId = await singleDocument();
    const data = await (documentId === null
      ? service.create(params, show)
      : service.update({ ...params, documentId }, show));
    answer(ctx, data);
  };

  const removeSingle: Controller = async (ctx, identity) => remove(ctx, identity, await singleDocument());

  return { create, update, remove, updateSingle, removeSingle };
};
