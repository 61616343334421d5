import type { RequestService } from '../documents/request.js';
import { checkInputKeys } from '../documents/validate/input-keys.js';
import { errors } from '../errors.js';
import { paramsQuery } from '../query/query.js';
import { existingType } from '../schema/find.js';
import type { ContentType, Schema } from '../schema/types.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { contextNow, partsOf } from './request-parts.js';
import { sanitizeOutput } from './sanitize.js';
import { sanitizeQuery } from './sanitize-query.js';
import { type CodeContext, isCallable, type Values } from './types.js';

/** The methods of a controller that work for others, and how Strapi's core ones work. */
interface Helpers {
  validateQuery(ctx: CodeContext): Promise<void>;
  sanitizeQuery(ctx: CodeContext): Promise<unknown>;
  validateInput(data: unknown, ctx: CodeContext): Promise<void>;
  sanitizeInput(data: unknown, ctx: CodeContext): Promise<unknown>;
  sanitizeOutput(data: unknown, ctx: CodeContext): Promise<unknown>;
  transformResponse(data: unknown, meta?: object): unknown;
}

export const HELPERS = [
  'validateQuery',
  'sanitizeQuery',
  'validateInput',
  'sanitizeInput',
  'sanitizeOutput',
  'transformResponse',
] as const satisfies readonly (keyof Helpers)[];

interface ControllerParts {
  /** Of the content type. */
  readonly uid: string;
  readonly schema: () => Schema;
  readonly live: () => Live;
  /** The project's service of the type; its core one if it has none. */
  readonly service: () => Values;
  /** Whether that has the core methods. */
  readonly isPlain: () => boolean;
}

/** An action as the project's code finds it: `this` is its controller, whose helpers may be its own. */
type Action = (this: Helpers, ctx: CodeContext) => Promise<unknown>;

/** Calls a method of the project's service. */
type Call = (name: string, ...args: unknown[]) => Promise<unknown>;

const PAGES: ReadonlySet<string> = new Set(['pagination', 'page', 'pageSize', 'start', 'limit']);

/** What `validateQuery` looks at: as in Strapi, what reads a page validates which. */
const withoutPages = (query: unknown): Values =>
  Object.fromEntries(Object.entries(Object(query)).filter(([name]) => !PAGES.has(name)));

const idOf = ({ params }: CodeContext): string => params['id'] ?? params['documentId'] ?? '';

/**
 * The core controller of a type. While a controller and the service are untouched, its actions answer as the built-in
 * ones do; otherwise they do what Strapi's own do, with the project's methods.
 */
export function coreControllerOf(parts: ControllerParts): Values {
  const { uid, service, isPlain } = parts;
  const type = existingType(parts.schema(), uid);
  const call: Call = async (name, ...args) => {
    const method = service()[name];
    if (!isCallable(method)) throw new TypeError(`${uid}.${name} is not a method of the service`);
    return method.apply(service(), args);
  };
  const helpers = helpersOf(parts);
  const isUntouched = (controller: Helpers, ctx: CodeContext): boolean =>
    ctx === contextNow() && isPlain() && HELPERS.every((name) => controller[name] === helpers[name]);
  const opened = type.kind === 'singleType' ? singleActions(call) : collectionActions(call);
  const builtIn = type.kind === 'singleType' ? BUILT_IN_SINGLE : BUILT_IN_COLLECTION;
  const actions = Object.entries(opened).map(([name, open]) => {
    const answer = builtIn[name];
    const action: Action = function (ctx) {
      return answer && isUntouched(this, ctx) ? answer(partsOf(ctx).content(uid), ctx) : open.call(this, ctx);
    };
    return [name, action];
  });
  return { ...helpers, ...Object.fromEntries(actions) };
}

function helpersOf({ uid, schema, live }: ControllerParts): Helpers {
  const type = (): ContentType => existingType(schema(), uid);
  const validateInput = async (data: unknown, ctx: CodeContext): Promise<void> =>
    checkInputKeys(Object(data), type(), schema(), partsOf(ctx).identity);
  return {
    async validateQuery(ctx) {
      live().reader.prepare({
        type: type(),
        query: paramsQuery(withoutPages(ctx.query), 'rest'),
        caller: partsOf(ctx).identity,
        target: type().kind === 'singleType' ? 'single' : 'list',
      });
    },
    sanitizeQuery: async (ctx) =>
      sanitizeQuery(ctx.query, type(), { schema: schema(), caller: partsOf(ctx).identity }),
    validateInput,
    async sanitizeInput(data, ctx) {
      await validateInput(data, ctx);
      return data;
    },
    async sanitizeOutput(data, ctx) {
      const { identity: caller } = partsOf(ctx);
      const { componentIds } = live().config.rest;
      return sanitizeOutput(data, type(), { schema: schema(), caller, componentIds });
    },
    transformResponse: (data, meta = {}) => (data === null || data === undefined ? data : { data, meta }),
  };
}

type BuiltIn = (service: RequestService, ctx: CodeContext) => Promise<unknown>;

/** The body of an answer. */
async function bodyOf(
  answered: Promise<{ readonly data: unknown; readonly pagination?: unknown }>,
): Promise<unknown> {
  const { data, pagination } = await answered;
  if (data === null) return null;
  return { data, meta: pagination === undefined || pagination === null ? {} : { pagination } };
}

const BUILT_IN_COLLECTION: Readonly<Record<string, BuiltIn>> = {
  find: (service) => bodyOf(service.findMany()),
  findOne: (service, ctx) => bodyOf(service.findOne(idOf(ctx))),
  async create(service, ctx) {
    const body = await bodyOf(service.create());
    ctx.status = 201;
    return body;
  },
  update: (service, ctx) => bodyOf(service.update(idOf(ctx))),
  async delete(service, ctx) {
    await service.delete(idOf(ctx));
    ctx.status = 204;
  },
};

const BUILT_IN_SINGLE: Readonly<Record<string, BuiltIn>> = {
  ...BUILT_IN_COLLECTION,
  find: (service) => bodyOf(service.findFirst()),
  update: (service) => bodyOf(service.updateSingle()),
  async delete(service, ctx) {
    await service.deleteSingle();
    ctx.status = 204;
  },
};

async function queryOf(controller: Helpers, ctx: CodeContext): Promise<object> {
  await controller.validateQuery(ctx);
  return Object(await controller.sanitizeQuery(ctx));
}

async function inputOf(controller: Helpers, ctx: CodeContext): Promise<unknown> {
  const { data } = objectAt(ctx.request.body);
  if (typeof data !== 'object' || data === null) throw errors.missingData();
  await controller.validateInput(data, ctx);
  return controller.sanitizeInput(data, ctx);
}

const answerOf = async (controller: Helpers, data: unknown, ctx: CodeContext, meta?: object) =>
  controller.transformResponse(await controller.sanitizeOutput(data, ctx), meta);

const collectionActions = (call: Call): Readonly<Record<string, Action>> => ({
  async find(ctx) {
    const { results, pagination } = objectAt(await call('find', await queryOf(this, ctx)));
    return answerOf(this, results, ctx, { pagination });
  },
  async findOne(ctx) {
    return answerOf(this, await call('findOne', idOf(ctx), await queryOf(this, ctx)), ctx);
  },
  async create(ctx) {
    const query = await queryOf(this, ctx);
    const made = await call('create', { ...query, data: await inputOf(this, ctx) });
    const shown = await answerOf(this, made, ctx);
    ctx.status = 201;
    return shown;
  },
  async update(ctx) {
    const query = await queryOf(this, ctx);
    const made = await call('update', idOf(ctx), { ...query, data: await inputOf(this, ctx) });
    return answerOf(this, made, ctx);
  },
  async delete(ctx) {
    await call('delete', idOf(ctx), await queryOf(this, ctx));
    ctx.status = 204;
  },
});

const singleActions = (call: Call): Readonly<Record<string, Action>> => ({
  ...collectionActions(call),
  async find(ctx) {
    return answerOf(this, await call('find', await queryOf(this, ctx)), ctx);
  },
  async update(ctx) {
    const query = await queryOf(this, ctx);
    const made = await call('createOrUpdate', { ...query, data: await inputOf(this, ctx) });
    return answerOf(this, made, ctx);
  },
  async delete(ctx) {
    await call('delete', await queryOf(this, ctx));
    ctx.status = 204;
  },
});
