import { isDeepStrictEqual } from 'node:util';
import type {
  Action,
  Concerns,
  InnerContext,
  InnerMiddleware,
  MiddlewareContext,
} from '../documents/middleware.js';
import { scriptRequest } from '../documents/read/script-request.js';
import { inSchemaOrder } from '../documents/validate/check.js';
import { bodyChecker } from '../documents/validate/check-body.js';
import { errors } from '../errors.js';
import type { RecordEvent } from '../events/events.js';
import { paramsQuery } from '../query/query.js';
import { existingType } from '../schema/find.js';
import { ROLE_UID } from '../schema/uids.js';
import { copyOf, isObject, objectAt, objectsIn } from '../values/plain-object.js';
import { asWritten, defaultsOf, type Hash, hashedPasswords, hashing } from './as-written.js';
import { changedParams, eventParams } from './event-params.js';
import { linkedRows } from './linked-rows.js';
import type { Live } from './live.js';
import { nested } from './nested.js';
import type { Hooked } from './query.js';
import { BY_QUERY } from './rows.js';
import { type Callable, isCallable, type Values } from './types.js';
import { during } from './under-way.js';
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

/** Roles are written without the Document Service. */
const PARTLY: ReadonlySet<string> = new Set([ROLE_UID]);

/** What each subscriber gets in an event of its own, so that it can change what is in it, but not replace it. */
interface Subject {
  readonly model: Values & { readonly uid: string };
  readonly params: Values;
  readonly result?: unknown;
}

type Of = Pick<MiddlewareContext, 'uid' | 'contentType'>;

/** What was announced before a row is written, with what each subscriber keeps until after it. */
interface Announced {
  readonly subject: Subject;
  readonly states: Map<Subscriber, unknown>;
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

/** The result of a deleted row: in `delete` what the call answers with, otherwise its own values. */
function deletedRow(row: Values, { action, contentType }: InnerContext, entries: unknown): unknown {
  const answered = action === 'delete' ? objectsIn(entries).find(({ id }) => id === row['id']) : undefined;
  if (answered) return answered;
  const isOwn = (name: string): boolean => contentType.attributes.get(name)?.kind === 'scalar';
  return Object.fromEntries(Object.entries(row).filter(([name]) => isOwn(name)));
}

/** `strapi.db.lifecycles` and the lifecycle files: `before` and `after` of each row that a call writes, or of a read. */
export function createLifecycles(
  live: () => Pick<Live, 'documents' | 'schema' | 'config'>,
  record: RecordEvent,
) {
  const subscribers: Subscriber[] = [];
  const hooksOf = (name: string, uid: string): readonly (readonly [Subscriber, Callable])[] =>
    subscribers
      .filter(({ models }) => models === null || models.includes(uid))
      .flatMap((subscriber) => {
        const hook = subscriber.hook(name);
        return hook ? [[subscriber, hook] as const] : [];
      });

  const concerns: Concerns = (action, uid) =>
    subscribers.length > 0 &&
    LIFECYCLES[action].some((name) =>
      ['before', 'after'].some((when) => hooksOf(when + name, uid).length > 0),
    );

  const run = async (action: string, { subject, states }: Announced): Promise<void> => {
    for (const [subscriber, hook] of hooksOf(action, subject.model.uid)) {
      const event = { action, ...subject, state: states.get(subscriber) ?? {} };
      await during(`${action} of ${subject.model.uid}`, () => hook(event));
      states.set(subscriber, event.state);
    }
  };

  const modelOf = ({ uid, contentType }: Of): Subject['model'] => ({
    uid,
    singularName: contentType.singularName,
    tableName: contentType.collectionName,
  });

  /** Runs what comes before, and what may have changed the parameters. */
  const announce = async (context: Of, name: string, params: Values): Promise<Announced> => {
    const announced = { subject: { model: modelOf(context), params }, states: new Map() };
    await run(`before${name}`, announced);
    return announced;
  };

  const linksOf =
    (context: InnerContext, isPublished: boolean) =>
    (data: Values): Promise<Values> => {
      const { locale = data['locale'] }: Values = { ...context.params };
      const status = isPublished ? 'published' : 'draft';
      const source = { status: context.contentType.draftAndPublish ? status : null, locale } as const;
      return linkedRows(data, context, source, live());
    };

  const defaultLocale = (): string => live().config.plugins.i18n.defaultLocale;

  /** What the version and the locale of the row of a call say. */
  const versionOf = ({ contentType, params }: InnerContext): Values => {
    const { locale = defaultLocale() }: Values = { ...params };
    return {
      publishedAt: contentType.draftAndPublish ? null : new Date(),
      ...(contentType.localized && { locale }),
    };
  };

  const ofCall = ({ contentType, action, isRequest }: InnerContext) => {
    const how = { isRead: READS.has(action), isRequest, defaultLocale: defaultLocale() };
    return { type: contentType, schema: live().schema, ...how };
  };

  /** The events before a call for its own parameters, which they may change. */
  const beforeCall = async (
    context: InnerContext,
    name: string,
    { id, hash = hashing() }: { readonly id?: unknown; readonly hash?: Hash } = {},
  ): Promise<Announced> => {
    const { contentType, params: given } = context;
    const of = ofCall(context);
    const params = eventParams(given, of);
    if (id !== undefined) params['where'] = { id };
    if (hooksOf(`before${name}`, context.uid).length === 0) return announce(context, name, params);
    // Accounts and files are written by queries.
    const row = contentType.origin === 'api' ? versionOf(context) : {};
    const shown = { links: linksOf(context, false), row, hash };
    const written = await asWritten(params['data'], contentType, name, shown);
    if (written) params['data'] = written.data;
    const before = copyOf(params);
    const announced = await announce(context, name, params);
    const left = changedParams(given, before, params, of);
    context.params = written ? { ...left, data: written.given(params['data']) } : left;
    return announced;
  };

  const read = async (context: InnerContext, next: () => Promise<unknown>): Promise<unknown> => {
    const [name = ''] = LIFECYCLES[context.action];
    const { subject, states } = await beforeCall(context, name);
    const result = await next();
    await run(`after${name}`, { subject: { ...subject, result }, states });
    return result;
  };

  /** Lifecycles see no values that their type refuses, as in Strapi, where they run after the validation. */
  const refuseInvalid = ({ action, contentType, params }: MiddlewareContext): void => {
    // What writes accounts and files has validated them.
    if (contentType.origin !== 'api') return;
    const { data }: Values = { ...params };
    const { faults } = bodyChecker(live(), contentType)(data ?? {}, action === 'update');
    if (faults.length > 0) throw errors.fields(inSchemaOrder(faults, contentType));
  };

  const beforeRow = async (context: InnerContext, row: WrittenRow, hash: Hash): Promise<Announced> => {
    const { lifecycle, before } = row;
    if (row.isCall) {
      if (hooksOf(`before${lifecycle}`, context.uid).length > 0) refuseInvalid(context);
      return beforeCall(context, lifecycle, { id: before?.['id'], hash });
    }
    if (before) return announce(context, lifecycle, { where: { id: before['id'] } });
    const values = createdData(row, objectAt(context.params)['data'], context.action);
    const isSeen = hooksOf(`before${lifecycle}`, context.uid).length > 0;
    const defaults = row.copied || !isSeen ? {} : defaultsOf(values, context.contentType);
    const data = { ...versionOf(context), ...defaults, ...values };
    if (isSeen) {
      // A password that is copied is a hash already.
      const passwords = await hashedPasswords(
        objectAt(objectAt(context.params)['data']),
        context.contentType,
        hash,
      );
      Object.assign(data, await linksOf(context, row.isPublished)(values), passwords);
    }
    const unchanged = structuredClone(data);
    const of = ofCall(context);
    const { select, populate } = eventParams(context.params, of);
    const shown = { ...(select !== undefined && { select }), ...(populate !== undefined && { populate }) };
    const announced = await announce(context, lifecycle, { ...copyOf(shown), where: {}, data });
    const { params } = announced.subject;
    context.params = changedParams(context.params, shown, params, of);
    withChanges(context, unchanged, objectAt(params['data']));
    return announced;
  };

  /** The row of a call that also publishes it: what the call answers with is the published row. */
  const draftOf = async (
    { contentType, params, reader }: InnerContext,
    answer: unknown,
  ): Promise<unknown> => {
    const { documentId, locale } = objectAt(answer);
    const { fields, populate }: Values = { ...params };
    const shown = { ...(fields !== undefined && { fields }), ...(populate !== undefined && { populate }) };
    const query = paramsQuery(
      { ...shown, status: 'draft', ...(contentType.localized && { locale }) },
      'service',
    );
    return (await reader.one(scriptRequest(contentType, query), String(documentId))).data;
  };

  const middleware: InnerMiddleware = (context, next) => nested(context, () => around(context, next));

  /** As in Strapi, a call with its lifecycles is one transaction. */
  const around: InnerMiddleware = async (context, next) => {
    if (BY_QUERY in context.params) return next();
    if (READS.has(context.action)) return read(context, next);
    const { uid } = context;
    return context.undoable(
      () => write(context, next),
      (error) => record({ name: 'write-not-undone', uid, err: error }),
    );
  };

  const write: InnerMiddleware = async (context, next) => {
    const rows = await writtenRows(context, live());
    const announced: Announced[] = [];
    // A write is one step here, so all its rows are announced before it: whatever throws leaves nothing behind.
    const hash = hashing();
    for (const row of rows) announced.push(await beforeRow(context, row, hash));
    const answer = await next();
    const isOne = context.action === 'create' || context.action === 'update';
    const { entries } = objectAt(answer);
    const list: readonly unknown[] | null = !isOne && Array.isArray(entries) ? entries : null;
    let created = 0;
    for (const [at, row] of rows.entries()) {
      const { lifecycle, before, isCall } = row;
      const known = announced[at];
      const action = `after${lifecycle}`;
      if (!known || (hooksOf(action, context.uid).length === 0 && isCall)) continue;
      const isAnswer = isOne && at === rows.length - 1;
      const result = isAnswer
        ? answer
        : isCall
          ? await draftOf(context, answer)
          : before
            ? deletedRow(before, context, list)
            : list?.[created++];
      await run(action, { ...known, subject: { ...known.subject, result } });
    }
    return answer;
  };

  /** A query has lifecycles of its own, with the parameters that it was given. */
  const hooked: Hooked = async (uid, name, params, query) => {
    const action = `after${name}`;
    if ([`before${name}`, action].every((one) => hooksOf(one, uid).length === 0)) return query(params);
    return nested({ uid, action: `db.query.${name}` }, async () => {
      const context = { uid, contentType: existingType(live().schema, uid) };
      const { subject, states } = await announce(context, name, params);
      const result = await query(params);
      const isNone = result === null && (name === 'Update' || name === 'Delete');
      if (!isNone) await run(action, { subject: { ...subject, result }, states });
      return result;
    });
  };

  return {
    middleware,
    concerns,
    hooked,
    ofFile(uid: string, exported: unknown): void {
      if (isObject(exported)) subscribers.push(subscriberOf(exported, [uid]));
    },
    api: {
      subscribe(given: unknown) {
        const { models } = objectAt(given);
        const uids = Array.isArray(models) ? models.map(String) : null;
        const subscriber = subscriberOf(given, uids);
        for (const uid of uids ?? []) if (PARTLY.has(uid)) record({ name: 'lifecycles-partly-run', uid });
        subscribers.push(subscriber);
        return () => void subscribers.splice(subscribers.indexOf(subscriber), 1);
      },
    },
  };
}
