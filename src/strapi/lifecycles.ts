import { isDeepStrictEqual } from 'node:util';
import type { Action, Concerns, DocumentMiddleware, MiddlewareContext } from '../documents/middleware.js';
import { scriptRequest } from '../documents/read/script-request.js';
import { paramsQuery } from '../query/query.js';
import { ROLE_UID } from '../schema/uids.js';
import { isObject, objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { type Callable, isCallable, type Values } from './types.js';
import { fail, Unsupported } from './unsupported.js';
import { createdData, type WrittenRow, writtenRows } from './written-rows.js';

/** The lifecycles of each action of the Document Service. */
const LIFECYCLES: Readonly<Record<Action, readonly string[]>> = {
  create: ['Create'],
  clone: ['Create'],
  publish: ['Delete', 'Create'],
  discardDraft: ['Delete', 'Create'],
  restore: ['Delete', 'Create'],
  update: ['Update', 'Delete', 'Create'],
  delete: ['Delete'],
  unpublish: ['Delete'],
  findOne: ['FindOne'],
  findFirst: ['FindOne'],
  findMany: ['FindMany'],
  count: ['Count'],
};
const READS: ReadonlySet<Action> = new Set(['findOne', 'findFirst', 'findMany', 'count']);

/** The names of parameters in the Document Service and in lifecycles. */
const NAMES = [
  ['filters', 'where'],
  ['fields', 'select'],
  ['sort', 'orderBy'],
  ['start', 'offset'],
] as const;

/** Roles are written without the Document Service. */
const PARTLY: ReadonlySet<string> = new Set([ROLE_UID]);

interface Event {
  readonly action: string;
  readonly model: Values & { readonly uid: string };
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

/** What the data of a call becomes: hooks have changed what a row copies from it. */
function withChanges(context: MiddlewareContext, before: Values, after: Values): void {
  const changed = Object.entries(after).filter(
    ([name, value]) => name !== 'publishedAt' && !isDeepStrictEqual(value, before[name]),
  );
  if (changed.length === 0) return;
  const { data }: Values = { ...context.params };
  if (context.action === 'publish' || context.action === 'discardDraft')
    fail(new Unsupported(`A lifecycle that changes the data of ${context.action}`));
  context.params = { ...context.params, data: { ...objectAt(data), ...Object.fromEntries(changed) } };
}

/** `strapi.db.lifecycles` and the lifecycle files: `before` and `after` of each row that a call writes, or of a read. */
export function createLifecycles(live: () => Pick<Live, 'reader' | 'documents' | 'record'>) {
  const subscribers: Subscriber[] = [];
  const hooksOf = (name: string, uid: string): readonly Callable[] =>
    subscribers
      .filter(({ models }) => models === null || models.includes(uid))
      .flatMap((subscriber) => subscriber.hook(name) ?? []);

  const concerns: Concerns = (action, uid) =>
    subscribers.length > 0 &&
    LIFECYCLES[action].some((name) =>
      ['before', 'after'].some((when) => hooksOf(when + name, uid).length > 0),
    );

  const run = async (event: Event): Promise<void> => {
    for (const hook of hooksOf(event.action, event.model.uid)) await hook(event);
  };

  const modelOf = ({ uid, contentType }: MiddlewareContext): Event['model'] => ({
    uid,
    singularName: contentType.singularName,
    tableName: contentType.collectionName,
  });

  /** The events before a call for its own parameters, which they may change. */
  const beforeCall = async (context: MiddlewareContext, name: string, id?: unknown): Promise<Event> => {
    const params = eventParams(context.params);
    if (id !== undefined) params['where'] = { id };
    const event: Event = { action: `before${name}`, model: modelOf(context), params, state: {} };
    await run(event);
    if (hooksOf(event.action, context.uid).length > 0) {
      const { where, ...rest } = event.params;
      context.params = serviceParams(READS.has(context.action) ? event.params : rest, context.params);
    }
    return event;
  };

  const read = async (context: MiddlewareContext, next: () => Promise<unknown>): Promise<unknown> => {
    const [name = ''] = LIFECYCLES[context.action];
    const before = await beforeCall(context, name);
    const after: Event = { ...before, action: `after${name}`, result: await next() };
    await run(after);
    return after.result;
  };

  const beforeRow = async (context: MiddlewareContext, row: WrittenRow): Promise<Event> => {
    const { lifecycle, before } = row;
    if (row.isCall) return beforeCall(context, lifecycle, before?.['id']);
    const action = `before${lifecycle}`;
    const of = { action, model: modelOf(context), state: {} };
    if (before) {
      const event: Event = { ...of, params: { where: { id: before['id'] } } };
      await run(event);
      return event;
    }
    const data = createdData(row, objectAt(context.params)['data'], context.action);
    const unchanged = structuredClone(data);
    const event: Event = { ...of, params: { data } };
    await run(event);
    withChanges(context, unchanged, objectAt(event.params['data']));
    return event;
  };

  /** The row of a call that also publishes it: what the call answers with is the published row. */
  const draftOf = async ({ contentType, params }: MiddlewareContext, answer: unknown): Promise<unknown> => {
    const { documentId, locale } = objectAt(answer);
    const { fields, populate }: Values = { ...params };
    const shown = { ...(fields !== undefined && { fields }), ...(populate !== undefined && { populate }) };
    const query = paramsQuery(
      { ...shown, status: 'draft', ...(contentType.localized && { locale }) },
      'service',
    );
    return (await live().reader.one(scriptRequest(contentType, query), String(documentId))).data;
  };

  const middleware: DocumentMiddleware = async (context, next) => {
    if (READS.has(context.action)) return read(context, next);
    const rows = await writtenRows(context, live());
    const events: Event[] = [];
    // A write is one step here, so all its rows are announced before it: whatever throws leaves nothing behind.
    for (const row of rows) events.push(await beforeRow(context, row));
    let answer = await next();
    const isOne = context.action === 'create' || context.action === 'update';
    const { entries } = objectAt(answer);
    const list: unknown[] | null = !isOne && Array.isArray(entries) ? entries : null;
    let created = 0;
    for (const [at, row] of rows.entries()) {
      const { lifecycle, before, isCall } = row;
      const event = events[at];
      const action = `after${lifecycle}`;
      if (!event || (hooksOf(action, context.uid).length === 0 && isCall)) continue;
      const isAnswer = isOne && at === rows.length - 1;
      const result = isAnswer
        ? answer
        : isCall
          ? await draftOf(context, answer)
          : lifecycle === 'Delete'
            ? before
            : list?.[created];
      const after: Event = { ...event, action, result };
      await run(after);
      if (isAnswer) answer = after.result;
      else if (list !== null && lifecycle === 'Create') list[created++] = after.result;
    }
    return answer;
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
        const uids = Array.isArray(models) ? models.map(String) : null;
        const subscriber = subscriberOf(given, uids);
        for (const uid of uids ?? [])
          if (PARTLY.has(uid)) live().record({ name: 'lifecycles-partly-run', uid });
        subscribers.push(subscriber);
        return () => void subscribers.splice(subscribers.indexOf(subscriber), 1);
      },
    },
  };
}
