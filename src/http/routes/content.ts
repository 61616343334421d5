import type { Identity } from '../../access/identity.js';
import type { Show } from '../../documents/types.js';
import { checkInputKeys } from '../../documents/validate/input-keys.js';
import { errors } from '../../errors.js';
import { parseQueryText } from '../../query/parse.js';
import { routeOf } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import type { Controller, RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';

/** The data of a write: an object, or a list (which validation refuses by itself). Throws 400. */
const dataOf = (ctx: RequestContext): object => {
  const body: unknown = ctx.request.body;
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : null;
  if (typeof data !== 'object' || data === null) throw errors.missingData();
  return data;
};

const wantsV4 = (ctx: RequestContext): boolean => ctx.get('strapi-response-format').toLowerCase() === 'v4';

const FILTERS = /^(filters(\[|%5B|=|$)|_q(=|$))/i;

const withoutFilters = (query: string): string =>
  query
    .split('&')
    .filter((parameter) => !FILTERS.test(parameter))
    .join('&');

/** The routes of one content type (SPEC A.1), each in Strapi's order: query, `data`, keys of the body, service, answer (A.5). */
const routesOf = ({ documents, reader, schema }: AppDeps, type: ContentType): readonly Route[] => {
  const service = documents(type.uid);
  const path = `/${routeOf(type)}`;
  const onePath = `${path}/:documentId`;

  const answerList: Controller = async (ctx, identity) => {
    const { data, pagination, timings } = await reader.list(type, ctx.querystring, identity, {
      v4: wantsV4(ctx),
    });
    ctx.state.timings.push(...timings);
    ctx.body = { data, meta: pagination === null ? {} : { pagination } };
  };

  const answerOne = async (ctx: RequestContext, identity: Identity, documentId: string): Promise<void> => {
    const options = { v4: wantsV4(ctx) };
    const { data, timings } = await reader.one(type, documentId, ctx.querystring, identity, options);
    ctx.state.timings.push(...timings);
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
  };

  const answerSingle: Controller = async (ctx, identity) => {
    const { data, timings } = await reader.single(type, ctx.querystring, identity, { v4: wantsV4(ctx) });
    ctx.state.timings.push(...timings);
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
  };

  /** The query of a write, checked as one that reads the answer; what of it concerns the write itself comes back. */
  const writeQuery = (ctx: RequestContext, identity: Identity) => {
    const request = { type, query: ctx.querystring, caller: identity, mode: 'rest', v4: false } as const;
    const { node, plan } = reader.prepare({ ...request, target: 'one' }).read;
    return { status: plan.status, locale: node.locale };
  };

  const written = (ctx: RequestContext, identity: Identity) => {
    const query = writeQuery(ctx, identity);
    const data = dataOf(ctx);
    checkInputKeys(data, type, schema, identity);
    return { ...query, data };
  };

  /** What was written, as a read with the same query and the same rights shows it; `filters` do not hide it. */
  const shower =
    (ctx: RequestContext, identity: Identity): Show =>
    async ({ documentId }) =>
      (await reader.one(type, documentId, withoutFilters(ctx.querystring), identity, { v4: wantsV4(ctx) }))
        .data;

  const answerWritten = (ctx: RequestContext, data: unknown): void => {
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
  };

  const create: Controller = async (ctx, identity) => {
    answerWritten(ctx, await service.create(written(ctx, identity), shower(ctx, identity)));
    ctx.status = 201;
  };

  const update = async (ctx: RequestContext, identity: Identity, documentId: string): Promise<void> => {
    const params = { ...written(ctx, identity), documentId };
    answerWritten(ctx, await service.update(params, shower(ctx, identity)));
  };

  /** `filters` restrict what a DELETE removes (FINDINGS "Writes"). */
  const matches = async (ctx: RequestContext, identity: Identity, documentId: string): Promise<boolean> => {
    const { filters, locale } = parseQueryText(ctx.querystring);
    if (filters === undefined) return true;
    const { data } = await reader.one(type, documentId, ctx.querystring, identity);
    return (
      data !== null || (await service.findOne({ documentId, filters, locale, status: 'draft' })) !== null
    );
  };

  const remove = async (
    ctx: RequestContext,
    identity: Identity,
    documentId: string | null,
  ): Promise<void> => {
    const { locale } = writeQuery(ctx, identity);
    const status = ctx.query['status'];
    if (documentId !== null && (await matches(ctx, identity, documentId)))
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

  const updateSingle: Controller = async (ctx, identity) => {
    const params = written(ctx, identity);
    const show = shower(ctx, identity);
    const documentId = await singleDocument();
    const data = await (documentId === null
      ? service.create(params, show)
      : service.update({ ...params, documentId }, show));
    answerWritten(ctx, data);
  };

  const action = (name: string): string => `${type.uid}.${name}`;
  const idOf = (ctx: RequestContext): string => ctx.params['documentId'] ?? '';
  if (type.kind === 'singleType')
    return [
      { method: 'get', path, action: action('find'), controller: answerSingle },
      { method: 'put', path, action: action('update'), controller: updateSingle },
      {
        method: 'delete',
        path,
        action: action('delete'),
        controller: async (ctx, identity) => remove(ctx, identity, await singleDocument()),
      },
    ];
  return [
    { method: 'get', path, action: action('find'), controller: answerList },
    { method: 'post', path, action: action('create'), controller: create },
    {
      method: 'get',
      path: onePath,
      action: action('findOne'),
      controller: (ctx, identity) => answerOne(ctx, identity, idOf(ctx)),
    },
    {
      method: 'put',
      path: onePath,
      action: action('update'),
      controller: (ctx, identity) => update(ctx, identity, idOf(ctx)),
    },
    {
      method: 'delete',
      path: onePath,
      action: action('delete'),
      controller: (ctx, identity) => remove(ctx, identity, idOf(ctx)),
    },
  ];
};

/** Every content type of the project; the built-in ones have routes of their own. */
export const contentRoutes = (deps: AppDeps): readonly Route[] =>
  [...deps.schema.contentTypes.values()]
    .filter((type) => type.origin === 'api')
    .flatMap((type) => routesOf(deps, type));
