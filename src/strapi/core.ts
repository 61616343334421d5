import type { Identity } from '../access/index.js';
import type { RequestService } from '../documents/request.js';
import type { DocumentService, Documents } from '../documents/types.js';
import { checkInputKeys } from '../documents/validate/input-keys.js';
import { errors } from '../errors.js';
import { mediaThrough } from '../media/index.js';
import { paramsQuery } from '../query/query.js';
import { existingType } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import { objectAt } from '../values/plain-object.js';
import type { CoreParts } from './factories.js';
import type { Live } from './live.js';
import { pageOf } from './page.js';
import { sanitizeOutput } from './sanitize.js';
import { sanitizeQuery } from './sanitize-query.js';
import { type Callable, type CodeContext, isCallable, type Values } from './types.js';
import { running } from './unsupported.js';

/** What a request carries for the core controllers. */
export interface RequestParts {
  readonly identity: Identity;
  /** The type's service for this request, as its query and its body are at the moment. */
  content(uid: string): RequestService;
  /** The Document Service, whose writes the log of changes attributes to the caller. */
  documents(): Documents;
  /** Answers as the built-in controller of an action does. */
  builtIn(action: string): Promise<void>;
}

export const REQUEST_PARTS = Symbol('mangrove.request');

const partsIn = (ctx: CodeContext): RequestParts | undefined => Reflect.get(ctx, REQUEST_PARTS);

const contextNow = (): CodeContext | undefined => running.getStore()?.ctx;

const attributed = new WeakMap<RequestParts, Live>();

/** What the running code works with: in a request, its writes are attributed to the caller. */
export function liveNow(live: Live): Live {
  const ctx = contextNow();
  const parts = ctx && partsIn(ctx);
  if (!parts) return live;
  const known = attributed.get(parts);
  if (known) return known;
  const documents = parts.documents();
  const made = { ...live, documents, media: mediaThrough(live.media, documents) };
  attributed.set(parts, made);
  return made;
}

/**
 * What the request of a context carries. Code may pass a context of its own making: it belongs to the request that is
 * running. @throws TypeError outside of a route
 */
export const partsOf = (ctx: CodeContext): RequestParts => {
  const parts = partsIn(ctx) ?? partsIn(contextNow() ?? ctx);
  if (!parts) throw new TypeError('called outside of a route');
  return parts;
};

/** Who sent the request whose code is running. @throws TypeError outside of one */
export const callerNow = (): Identity => {
  const ctx = contextNow();
  if (!ctx) throw new TypeError('called outside of a route');
  return partsOf(ctx).identity;
};

/** The methods of a controller that work for others, and how Strapi's core ones work. */
interface CoreController {
  validateQuery(ctx: CodeContext): Promise<void>;
  sanitizeQuery(ctx: CodeContext): Promise<unknown>;
  validateInput(data: unknown, ctx: CodeContext): Promise<void>;
  sanitizeInput(data: unknown, ctx: CodeContext): Promise<unknown>;
  sanitizeOutput(data: unknown, ctx: CodeContext): Promise<unknown>;
  transformResponse(data: unknown, meta?: unknown): unknown;
}

type Method = (this: CoreController, ctx: CodeContext) => Promise<unknown>;

const PAGES: ReadonlySet<string> = new Set(['pagination', 'page', 'pageSize', 'start', 'limit']);

/** What `validateQuery` looks at: as in Strapi, what reads a page validates which. */
const withoutPages = (query: unknown): Values =>
  Object.fromEntries(Object.entries(Object(query)).filter(([name]) => !PAGES.has(name)));

const HELPERS = [
  'validateQuery',
  'sanitizeQuery',
  'validateInput',
  'sanitizeInput',
  'sanitizeOutput',
  'transformResponse',
];

/** The core controllers and services of the content types, which a project's own ones extend. */
export class Core implements CoreParts {
  private readonly controllers = new Map<string, Values>();
  private readonly services = new Map<string, Values>();

  constructor(
    private readonly schema: () => Schema,
    private readonly live: () => Live,
    /** The project's service of a type; its core one if it has none. */
    private readonly serviceNow: (uid: string) => Values,
  ) {}

  /** Whether a controller's action, and all that it uses, are the core ones. */
  isUntouched(uid: string, action: string, controller: Values): boolean {
    const core = this.controller(uid);
    return [action, ...HELPERS].every((name) => controller[name] === core[name]) && this.isPlain(uid);
  }

  controller(uid: string): Values {
    const known = this.controllers.get(uid) ?? this.controllerOf(uid);
    this.controllers.set(uid, known);
    return known;
  }

  service(uid: string): Values {
    const known = this.services.get(uid) ?? serviceOf(this.live, existingType(this.schema(), uid));
    this.services.set(uid, known);
    return known;
  }

  /** Whether the core methods of a type's service are untouched. */
  private isPlain(uid: string): boolean {
    const own = this.serviceNow(uid);
    const core = this.service(uid);
    return Object.keys(core).every((name) => own[name] === core[name]);
  }

  private controllerOf(uid: string): Values {
    const { live, schema } = this;
    const type = (): ContentType => existingType(schema(), uid);
    const service = (): Values => this.serviceNow(uid);
    const isPlain = (): boolean => this.isPlain(uid);
    const call = async (name: string, ...args: unknown[]): Promise<unknown> => {
      const method = service()[name];
      if (!isCallable(method)) throw new TypeError(`${uid}.${name} is not a method of the service`);
      return method.apply(service(), args);
    };
    const dataOf = (ctx: CodeContext): object => {
      const { data } = objectAt(ctx.request.body);
      if (typeof data !== 'object' || data === null) throw errors.missingData();
      return data;
    };
    const query = async (controller: CoreController, ctx: CodeContext): Promise<object> => {
      await controller.validateQuery(ctx);
      return Object(await controller.sanitizeQuery(ctx));
    };
    const input = async (controller: CoreController, ctx: CodeContext): Promise<unknown> => {
      const data = dataOf(ctx);
      await controller.validateInput(data, ctx);
      return controller.sanitizeInput(data, ctx);
    };
    const answer = async (controller: CoreController, data: unknown, ctx: CodeContext, meta?: object) =>
      controller.transformResponse(await controller.sanitizeOutput(data, ctx), meta);
    const isSingle = type().kind === 'singleType';
    const idOf = ({ params }: CodeContext): string => params['id'] ?? params['documentId'] ?? '';

    /** With an untouched service, the request is answered as without the project's code. */
    const asBuiltIn = async (
      ctx: CodeContext,
      run: (service: RequestService) => Promise<{ readonly data: unknown; readonly pagination?: unknown }>,
    ): Promise<unknown> => {
      const { data, pagination } = await run(partsOf(ctx).content(uid));
      if (data === null) return null;
      return { data, meta: pagination === undefined || pagination === null ? {} : { pagination } };
    };
    /** Nothing of the project's is to be called, and the query and the body are those of the request. */
    const isUntouched = (controller: unknown, ctx: CodeContext): boolean =>
      ctx === contextNow() && isPlain() && HELPERS.every((name) => Object(controller)[name] === core[name]);
    /** @param open what Strapi's own does, with the project's methods */
    const method = (
      builtIn: (service: RequestService, ctx: CodeContext) => ReturnType<Parameters<typeof asBuiltIn>[1]>,
      open: Method,
    ): Method =>
      function (this: CoreController, ctx) {
        return isUntouched(this, ctx) ? asBuiltIn(ctx, (one) => builtIn(one, ctx)) : open.call(this, ctx);
      };

    const core: Values = {
      async validateQuery(ctx: CodeContext) {
        const { reader } = live();
        reader.prepare({
          type: type(),
          query: paramsQuery(withoutPages(ctx.query), 'rest'),
          caller: partsOf(ctx).identity,
          target: isSingle ? 'single' : 'list',
        });
      },
      async sanitizeQuery(ctx: CodeContext) {
        return sanitizeQuery(ctx.query, type(), { schema: schema(), caller: partsOf(ctx).identity });
      },
      async validateInput(data: unknown, ctx: CodeContext) {
        checkInputKeys(Object(data), type(), schema(), partsOf(ctx).identity);
      },
      async sanitizeInput(data: unknown, ctx: CodeContext) {
        await core_.validateInput(data, ctx);
        return data;
      },
      async sanitizeOutput(data: unknown, ctx: CodeContext) {
        const { config } = live();
        const { identity: caller } = partsOf(ctx);
        const { componentIds } = config.rest;
        return sanitizeOutput(data, type(), { schema: schema(), caller, componentIds });
      },
      transformResponse: (data: unknown, meta: object = {}) =>
        data === null || data === undefined ? data : { data, meta },
      find: method(
        (one) => (isSingle ? one.findFirst() : one.findMany()),
        async function (this: CoreController, ctx) {
          const found = await call('find', await query(this, ctx));
          if (isSingle) return answer(this, found, ctx);
          const { results, pagination } = objectAt(found);
          return answer(this, results, ctx, { pagination });
        },
      ),
      findOne: method(
        (one, ctx) => one.findOne(idOf(ctx)),
        async function (this: CoreController, ctx) {
          return answer(this, await call('findOne', idOf(ctx), await query(this, ctx)), ctx);
        },
      ),
      create: method(
        async (one, ctx) => {
          const made = await one.create();
          ctx.status = 201;
          return made;
        },
        async function (this: CoreController, ctx) {
          const asked = await query(this, ctx);
          const made = await call('create', { ...asked, data: await input(this, ctx) });
          const shown = await answer(this, made, ctx);
          ctx.status = 201;
          return shown;
        },
      ),
      update: method(
        (one, ctx) => (isSingle ? one.updateSingle() : one.update(idOf(ctx))),
        async function (this: CoreController, ctx) {
          const asked = await query(this, ctx);
          const params = { ...asked, data: await input(this, ctx) };
          const made = isSingle
            ? await call('createOrUpdate', params)
            : await call('update', idOf(ctx), params);
          return answer(this, made, ctx);
        },
      ),
      async delete(this: CoreController, ctx: CodeContext) {
        if (!isUntouched(this, ctx)) {
          const asked = await query(this, ctx);
          await (isSingle ? call('delete', asked) : call('delete', idOf(ctx), asked));
        } else {
          const one = partsOf(ctx).content(uid);
          await (isSingle ? one.deleteSingle() : one.delete(idOf(ctx)));
        }
        ctx.status = 204;
      },
    };
    const core_ = core as unknown as CoreController;
    return core;
  }
}

/** The core service of a type: what its core controller uses, on the Document Service. */
function serviceOf(live: () => Live, type: ContentType): Values {
  const documents = (): DocumentService => live().documents(type.uid);
  const params = (given: unknown): Values => ({ status: 'published', ...Object(given) });
  const removed = async (service: DocumentService, given: Values & { documentId: string }) => {
    const { entries } = await service.delete(given);
    return { deletedEntries: entries.length };
  };
  const single = async (): Promise<string | null> => {
    const found = await documents().findFirst({ fields: ['documentId'], status: 'draft' });
    return found ? String(found['documentId']) : null;
  };
  const typed: Record<string, Callable> =
    type.kind === 'singleType'
      ? {
          find: (given) => documents().findFirst(params(given)),
          createOrUpdate: async (given) => {
            const documentId = await single();
            const { data } = Object(given);
            return documentId === null
              ? documents().create({ ...params(given), data })
              : documents().update({ ...params(given), documentId, data });
          },
          delete: async (given) => {
            const documentId = await single();
            return documentId === null
              ? { deletedEntries: 0 }
              : removed(documents(), { ...params(given), documentId });
          },
          getDocumentId: single,
        }
      : {
          find: async (given) => {
            const asked = params(given);
            const page = pageOf(asked['pagination'], live().config.rest);
            const results = await documents().findMany({ ...asked, ...page.window });
            const total = page.counts ? await documents().count(asked) : null;
            return { results, pagination: page.shown(total) };
          },
          findOne: (documentId, given) =>
            documents().findOne({ ...params(given), documentId: String(documentId) }),
          create: (given) => documents().create({ ...params(given), data: Object(given).data }),
          update: (documentId, given) =>
            documents().update({
              ...params(given),
              documentId: String(documentId),
              data: Object(given).data,
            }),
          delete: (documentId, given) =>
            removed(documents(), { ...params(given), documentId: String(documentId) }),
        };
  return { getFetchParams: params, ...typed };
}
