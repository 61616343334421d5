import type { Action, Concerns, DocumentMiddleware } from '../documents/middleware.js';
import { isObject, objectAt } from '../values/plain-object.js';
import { type Callable, isCallable, type Values } from './types.js';

/** The lifecycle of each action of the Document Service. */
const LIFECYCLE: Readonly<Record<Action, string>> = {
  create: 'Create',
  clone: 'Create',
  publish: 'Create',
  discardDraft: 'Create',
  update: 'Update',
  delete: 'Delete',
  unpublish: 'Delete',
  findOne: 'FindOne',
  findFirst: 'FindOne',
  findMany: 'FindMany',
  count: 'Count',
};

/** The names of parameters in the Document Service and in lifecycles. */
const NAMES = [
  ['filters', 'where'],
  ['fields', 'select'],
  ['sort', 'orderBy'],
  ['start', 'offset'],
] as const;

interface Event {
  readonly action: string;
  readonly model: Values;
  params: Values;
  result?: unknown;
  readonly state: Values;
}

/** Parameters of the Document Service as those of a lifecycle. */
function eventParams(params: object): Values {
  const { documentId, ...rest }: Values = { ...params };
  for (const [ours, theirs] of NAMES)
    if (ours in rest) {
      rest[theirs] = rest[ours];
      delete rest[ours];
    }
  if (documentId !== undefined) rest['where'] = { documentId, ...objectAt(rest['where']) };
  return rest;
}

/** The parameters as lifecycles left them. `documentId` stays: what a call is for cannot be changed. */
function serviceParams(params: Values, before: object): Values {
  const { documentId }: Values = { ...before };
  const rest: Values = { ...params };
  for (const [ours, theirs] of NAMES)
    if (theirs in rest) {
      const value = rest[theirs];
      delete rest[theirs];
      rest[ours] = value;
    }
  if (documentId === undefined) return rest;
  const { documentId: _, ...filters } = objectAt(rest['filters']);
  const { filters: __, ...others } = rest;
  return { ...others, documentId, ...(Object.keys(filters).length > 0 && { filters }) };
}

interface Subscriber {
  /** Null: every model. */
  readonly models: readonly string[] | null;
  hook(name: string): Callable | null;
}

const subscriberOf = (given: unknown, models: readonly string[] | null): Subscriber => ({
  models,
  hook(name) {
    if (isCallable(given)) return given;
    const hook: unknown = Object(given)[name];
    return isCallable(hook) ? hook.bind(given) : null;
  },
});

/** `strapi.db.lifecycles` and the lifecycle files: `before` and `after` of each call of the Document Service. */
export function createLifecycles() {
  const subscribers: Subscriber[] = [];
  const hooksOf = (name: string, uid: string): readonly Callable[] =>
    subscribers
      .filter(({ models }) => models === null || models.includes(uid))
      .flatMap((subscriber) => subscriber.hook(name) ?? []);

  const concerns: Concerns = (action, uid) =>
    subscribers.length > 0 &&
    ['before', 'after'].some((when) => hooksOf(`${when}${LIFECYCLE[action]}`, uid).length > 0);

  const middleware: DocumentMiddleware = async (context, next) => {
    const { uid, action, contentType } = context;
    const name = LIFECYCLE[action];
    const model = { uid, singularName: contentType.singularName, tableName: contentType.collectionName };
    const event: Event = {
      action: `before${name}`,
      model,
      params: eventParams(context.params),
      state: {},
    };
    const before = hooksOf(event.action, uid);
    for (const hook of before) await hook(event);
    if (before.length > 0) context.params = serviceParams(event.params, context.params);
    const result = await next();
    const after: Event = { ...event, action: `after${name}`, result };
    for (const hook of hooksOf(after.action, uid)) await hook(after);
    return after.result;
  };

  return {
    middleware,
    concerns,
    ofFile(uid: string, exported: unknown): void {
      if (isObject(exported)) subscribers.push(subscriberOf(exported, [uid]));
    },
    api: {
      subscribe(given: unknown) {
        const { models } = objectAt(given);
        const subscriber = subscriberOf(given, Array.isArray(models) ? models.map(String) : null);
        subscribers.push(subscriber);
        return () => void subscribers.splice(subscribers.indexOf(subscriber), 1);
      },
    },
  };
}
