import type { ContentAction } from '../../describe/contract/types.js';
import { writeLocale } from '../../documents/operations/locales.js';
import { TIME_OF } from '../../documents/operations/schedule.js';
import { keptVersion } from '../../documents/read/kept-version.js';
import type { JsonOf, OneAnswer } from '../../documents/read/reader.js';
import type { RequestService, VersionChange } from '../../documents/request.js';
import type { Schedule } from '../../documents/scheduled.js';
import { errors } from '../../errors.js';
import { PARAMS } from '../../query/params.js';
import { paramsQuery } from '../../query/query.js';
import { timeToCome } from '../../query/time-to-come.js';
import { routeOf } from '../../schema/find.js';
import type { ContentType, Schema, Status } from '../../schema/types.js';
import { isPlainObject, objectAt } from '../../values/plain-object.js';
import { tagsOfClient } from '../conditional/entity-tags.js';
import { contentRequest, contentService } from '../content-request.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { isShownToCode, showAsObjects } from '../lazy-body.js';
import { streamEvents, wantsEvents } from '../live-events.js';

/** A controller of a content type: calls its service and sets the answer. */
type Answering = (
  ctx: RequestContext,
  service: RequestService,
  documentId: string,
  deps: AppDeps,
) => Promise<void>;

const list: Answering = async (ctx, service) => {
  const { data, pagination, timings } = await service.findMany();
  ctx.exchange.timings.push(...timings);
  ctx.body = { data, meta: pagination === null ? {} : { pagination } };
};

const entry =
  (run: (service: RequestService, documentId: string) => Promise<OneAnswer>, status = 200): Answering =>
  async (ctx, service, documentId) => {
    const { data, timings, validator } = await run(service, documentId);
    ctx.exchange.timings.push(...timings);
    if (data === null) throw errors.notFound();
    // What the project's code makes of it is not known yet.
    if (ctx.exchange.read && validator) ctx.exchange.read.validator = { ...validator, digest: null };
    ctx.body = { data, meta: {} };
    ctx.status = status;
  };

const JSON_TYPE = 'application/json; charset=utf-8';

/** A read whose answer is sent as bytes, or with `asObjects` if it is adapted for older clients. */
const shown =
  (of: (documentId: string) => JsonOf, asObjects: Answering): Answering =>
  async (ctx, service, documentId, deps) => {
    if (deps.config.rest.compat !== null) return asObjects(ctx, service, documentId, deps);
    const { json, pagination, timings, validator, unchanged } = await service.readJson(of(documentId));
    ctx.exchange.timings.push(...timings);
    if (ctx.exchange.read) ctx.exchange.read.validator = validator ?? null;
    if (unchanged) {
      ctx.status = 304;
      return;
    }
    if (json === null) throw errors.notFound();
    json.before('{"data":');
    json.text(`,"meta":${pagination === null ? '{}' : JSON.stringify({ pagination })}}`);
    ctx.set('Content-Type', JSON_TYPE);
    if (isShownToCode(ctx, deps)) showAsObjects(ctx, json.done());
    else ctx.body = json.done();
  };

const nothing =
  (run: (service: RequestService, documentId: string) => Promise<void>): Answering =>
  async (ctx, service, documentId) => {
    await run(service, documentId);
    ctx.status = 204;
  };

/** A row that reads: its answer can also be followed. */
const reading = (of: (documentId: string) => JsonOf, asObjects: Answering) =>
  ({ method: 'get', answer: shown(of, asObjects), reads: of }) as const;

interface Row extends Pick<Route, 'method'> {
  /** Below the path of the type. */
  readonly path: string;
  readonly action: ContentAction;
  /** The action that it requires, if it is another. */
  readonly grant?: ContentAction;
  readonly answer: Answering;
  /** The version that the answer shows, if the request does not choose it. */
  readonly shows?: Status;
  /** What it reads, if the answer can be followed. */
  readonly reads?: (documentId: string) => JsonOf;
}

/** The routes of each kind of content type, with the action that each requires. */
const ROUTES: Readonly<Record<ContentType['kind'], readonly Row[]>> = {
  collectionType: [
    { path: '', action: 'find', ...reading(() => ({ target: 'list' }), list) },
    { method: 'post', path: '', action: 'create', answer: entry((service) => service.create(), 201) },
    {
      path: '/:documentId',
      action: 'findOne',
      ...reading(
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
      path: '',
      action: 'find',
      ...reading(
        () => ({ target: 'single' }),
        entry((service) => service.findFirst()),
      ),
    },
    { method: 'put', path: '', action: 'update', answer: entry((service) => service.updateSingle()) },
    { method: 'delete', path: '', action: 'delete', answer: nothing((service) => service.deleteSingle()) },
  ],
};

interface ChangeRow extends Required<Pick<Row, 'shows'>> {
  readonly action: VersionChange;
  readonly segment: string;
}

/** Strapi has these in its content manager only. */
const CHANGES: readonly ChangeRow[] = [
  { action: 'publish', segment: 'publish', shows: 'published' },
  { action: 'unpublish', segment: 'unpublish', shows: 'draft' },
  { action: 'discardDraft', segment: 'discard-draft', shows: 'draft' },
];

const changeRows = ({ kind, draftAndPublish }: ContentType): readonly Row[] => {
  if (!draftAndPublish) return [];
  const single = kind === 'singleType';
  return CHANGES.map(({ action, segment, shows }) => ({
    method: 'post',
    path: `${single ? '' : '/:documentId'}/${segment}`,
    action,
    shows,
    answer: orLater(
      action,
      single,
      entry((service, documentId) => service.changeVersion(action, single ? null : documentId)),
    ),
  }));
};

/** REST does not say who has scheduled it. */
const withoutAuthor = ({ by, ...schedule }: Schedule): object => schedule;

/** The parameter that says when an action is due; null: it happens at once. */
const timeOf = (action: ContentAction): string | null =>
  action === 'publish' || action === 'unpublish' ? TIME_OF[action] : null;

/** An action that is scheduled instead if the query says when. */
const orLater =
  (action: VersionChange, single: boolean, now: Answering): Answering =>
  async (ctx, service, documentId, deps) => {
    const { params } = ctx.exchange.query;
    const own = timeOf(action);
    if (action === 'discardDraft' || own === null || params[own] === undefined)
      return now(ctx, service, documentId, deps);
    const at = timeToCome(own, params[own]);
    const schedule = await service.schedule(action, single ? null : documentId, at);
    ctx.body = { data: withoutAuthor(schedule), meta: {} };
    ctx.status = 202;
  };

/** The routes of what is scheduled; Strapi has releases in its content manager only. */
const scheduleRows = ({ kind, draftAndPublish, storage }: ContentType): readonly Row[] => {
  if (!draftAndPublish || storage) return [];
  const single = kind === 'singleType';
  return [
    {
      method: 'get',
      path: '/scheduled',
      action: 'findScheduled',
      answer: async (ctx, service) => {
        const { data, pagination } = await service.findScheduled();
        ctx.body = { data: data.map(withoutAuthor), meta: pagination === null ? {} : { pagination } };
      },
    },
    ...CANCELLING.map(
      ([action, cancelled]): Row => ({
        method: 'delete',
        path: `${single ? '' : '/:documentId'}/${cancelled}`,
        action,
        grant: cancelled,
        shows: 'published',
        answer: nothing((service, documentId) =>
          service.cancelScheduled(cancelled, single ? null : documentId),
        ),
      }),
    ),
  ];
};

const CANCELLING = [
  ['cancelPublish', 'publish'],
  ['cancelUnpublish', 'unpublish'],
] as const;

/** The versions that a type keeps; Strapi shows them in its content manager only. */
const versionRows = ({ kind, history }: ContentType): readonly Row[] => {
  if (history === null) return [];
  const single = kind === 'singleType';
  const path = `${single ? '' : '/:documentId'}/versions`;
  const of = (documentId: string): string | null => (single ? null : documentId);
  const nameIn = (ctx: RequestContext): string => ctx.params['version'] ?? '';
  return [
    {
      method: 'get',
      path,
      action: 'findVersions',
      answer: async (ctx, service, documentId) => {
        const { data, pagination, timings } = await service.findVersions(of(documentId));
        ctx.exchange.timings.push(...timings);
        ctx.body = { data: data.map(keptVersion), meta: pagination === null ? {} : { pagination } };
      },
    },
    {
      method: 'get',
      path: `${path}/:version`,
      action: 'findVersion',
      grant: 'findVersions',
      answer: async (ctx, service, documentId) => {
        ctx.body = { data: keptVersion(await service.findVersion(of(documentId), nameIn(ctx))), meta: {} };
      },
    },
    {
      method: 'post',
      path: `${path}/:version/restore`,
      action: 'restore',
      shows: 'draft',
      answer: (ctx, service, documentId, deps) =>
        entry(() => service.restore(of(documentId), nameIn(ctx)))(ctx, service, documentId, deps),
    },
  ];
};

/**
 * Makes the request ask for the version that its action changes. Throws a 400 for what the action would ignore: another
 * status, parameters without a meaning (so that nothing is published at once because the name of its time is misspelt)
 * and what is in the body; and for anything but one locale.
 */
function askFor(
  status: Status,
  { type, action }: { readonly type: ContentType; readonly action: ContentAction },
  ctx: RequestContext,
  deps: AppDeps,
): void {
  const { params } = ctx.exchange.query;
  const own = timeOf(action);
  for (const [key, value] of Object.entries(params))
    if (key === 'status' ? value !== status : key !== own && !PARAMS.includes(key))
      throw errors.invalidKey({ key, path: key, source: 'query', param: key });
  writeLocale(type, params['locale'], deps.config.plugins.i18n.defaultLocale);
  for (const [key, value] of Object.entries(objectAt(ctx.request.body)))
    if (key !== 'data' || !isPlainObject(value) || Object.keys(value).length > 0)
      throw errors.invalidKey({ key, path: key, source: 'body' });
  ctx.exchange.query = paramsQuery({ ...params, status }, 'rest');
}

/**
 * The routes of the project's content types; built-in types have their own. `declared` are the actions of routes
 * that the project's code declares: a grant of such an action opens that route alone, not one of the same name
 * here.
 */
export const contentRoutes = (
  schema: Schema,
  declared: ReadonlySet<string | null> = new Set(),
): readonly Route[] =>
  [...schema.contentTypes.values()]
    .filter(({ origin }) => origin === 'api')
    .flatMap((type) => {
      const undeclared = (rows: readonly Row[]): readonly Route[] =>
        rows.map((row) => routeIn(type, row)).filter(({ action }) => !declared.has(action));
      return [
        ...undeclared(scheduleRows(type)),
        ...ROUTES[type.kind].map((row) => routeIn(type, row)),
        ...undeclared([...changeRows(type), ...versionRows(type)]),
      ];
    });

const routeIn = (type: ContentType, { method, path, action, grant, answer, shows, reads }: Row): Route => ({
  method,
  path: `/${routeOf(type)}${path}`,
  action: `${type.uid}.${grant ?? action}`,
  operation: { kind: 'content', uid: type.uid, action },
  controller: async (ctx, identity, deps) => {
    if (shows) askFor(shows, { type, action }, ctx, deps);
    // Routes that a Strapi project declares name it `id`.
    const documentId = ctx.params['documentId'] ?? ctx.params['id'] ?? '';
    if (reads && wantsEvents(ctx)) {
      const read = { type, action: `${type.uid}.${action}`, of: reads(documentId) };
      await streamEvents(ctx, { identity, deps, read });
      return;
    }
    if (method === 'get') {
      const hasTag = deps.config.rest.etags ? tagsOfClient(ctx.headers) : null;
      ctx.exchange.read = { action: `${type.uid}.${action}`, hasTag, validator: null };
    }
    const { service: other } = ctx.exchange;
    const service = other
      ? await other(type, contentRequest(ctx, identity))
      : contentService(ctx, identity, deps, type.uid);
    await answer(ctx, service, documentId, deps);
  },
});
