import type { ContentAction } from '../../describe/contract/types.js';
import type { JsonOf, OneAnswer } from '../../documents/read/reader.js';
import type { RequestService } from '../../documents/request.js';
import { errors } from '../../errors.js';
import { routeOf } from '../../schema/find.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { contentRequest, contentService } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { hasMiddlewares } from '../own-routes.js';

/** A controller of a content type: calls its service and sets the answer. */
type Answering = (
  ctx: RequestContext,
  service: RequestService,
  documentId: string,
  deps: AppDeps,
) => Promise<void>;

const list: Answering = async (ctx, service) => {
  const { data, pagination, timings } = await service.findMany();
  ctx.state.timings.push(...timings);
  ctx.body = { data, meta: pagination === null ? {} : { pagination } };
};

const entry =
  (run: (service: RequestService, documentId: string) => Promise<OneAnswer>, status = 200): Answering =>
  async (ctx, service, documentId) => {
    const { data, timings } = await run(service, documentId);
    ctx.state.timings.push(...timings);
    if (data === null) throw errors.notFound();
    ctx.body = { data, meta: {} };
    ctx.status = status;
  };

/** The project's own middleware and adaptations for older clients need answers as objects. */
const needsObjects = (ctx: RequestContext, deps: AppDeps): boolean =>
  ctx.state.asObjects === true || hasMiddlewares(deps) || deps.config.rest.compat !== null;

const JSON_TYPE = 'application/json; charset=utf-8';

/** A read whose answer is sent as bytes, or with `asObjects` if something needs objects. */
const shown =
  (of: (documentId: string) => JsonOf, asObjects: Answering): Answering =>
  async (ctx, service, documentId, deps) => {
    if (needsObjects(ctx, deps)) return asObjects(ctx, service, documentId, deps);
    const { json, pagination, timings } = await service.readJson(of(documentId));
    ctx.state.timings.push(...timings);
    if (json === null) throw errors.notFound();
    json.before('{"data":');
    json.text(`,"meta":${pagination === null ? '{}' : JSON.stringify({ pagination })}}`);
    ctx.set('Content-Type', JSON_TYPE);
    ctx.body = json.done();
  };

const nothing =
  (run: (service: RequestService, documentId: string) => Promise<void>): Answering =>
  async (ctx, service, documentId) => {
    await run(service, documentId);
    ctx.status = 204;
  };

interface Row extends Pick<Route, 'method'> {
  /** Below the path of the type. */
  readonly path: '' | '/:documentId';
  readonly action: ContentAction;
  readonly answer: Answering;
}

/** The routes of each kind of content type, with the action that each requires (rules A.1). */
const ROUTES: Readonly<Record<ContentType['kind'], readonly Row[]>> = {
  collectionType: [
    { method: 'get', path: '', action: 'find', answer: shown(() => ({ target: 'list' }), list) },
    { method: 'post', path: '', action: 'create', answer: entry((service) => service.create(), 201) },
    {
      method: 'get',
      path: '/:documentId',
      action: 'findOne',
      answer: shown(
        (documentId) => ({ documentId }),
        entry((service, documentId) => service.findOne(documentId)),
      ),
    },
    {
      method: 'put',
      path: '/:documentId',
      action: 'update',
      answer: entry((service, documentId) => service.update(documentId)),
    },
    {
      method: 'delete',
      path: '/:documentId',
      action: 'delete',
      answer: nothing((service, documentId) => service.delete(documentId)),
    },
  ],
  singleType: [
    {
      method: 'get',
      path: '',
      action: 'find',
      answer: shown(
        () => ({ target: 'single' }),
        entry((service) => service.findFirst()),
      ),
    },
    { method: 'put', path: '', action: 'update', answer: entry((service) => service.updateSingle()) },
    { method: 'delete', path: '', action: 'delete', answer: nothing((service) => service.deleteSingle()) },
  ],
};

/** The routes of the project's content types; built-in types have their own. */
export const contentRoutes = (schema: Schema): readonly Route[] =>
  [...schema.contentTypes.values()].filter(({ origin }) => origin === 'api').flatMap(routesOf);

const routesOf = (type: ContentType): readonly Route[] =>
  ROUTES[type.kind].map(({ method, path, action, answer }) => ({
    method,
    path: `/${routeOf(type)}${path}`,
    action: `${type.uid}.${action}`,
    operation: { kind: 'content', uid: type.uid, action },
    controller: async (ctx, identity, deps) => {
      const { service: other } = ctx.state;
      const service = other
        ? await other(type, contentRequest(ctx, identity))
        : contentService(ctx, identity, deps, type.uid);
      // Routes that a Strapi project declares name it `id`.
      await answer(ctx, service, ctx.params['documentId'] ?? ctx.params['id'] ?? '', deps);
    },
  }));
