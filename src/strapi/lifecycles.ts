import { isDeepStrictEqual } from 'node:util';
import { COPIED, type CopiedValues } from '../documents/call.js';
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
import { type Announced, Subscribers } from './subscribers.js';
import type { Values } from './types.js';
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

type Of = Pick<MiddlewareContext, 'uid' | 'contentType'>;

interface Changed {
  readonly before: Values;
  readonly after: Values;
  /** The locale of the row if it is copied from the other version; undefined: it is not. */
  readonly copied?: string | null | undefined;
}

/** What a call becomes: hooks have changed what a row copies from it. Scalars of a copied version are its own. */
function withChanges(context: MiddlewareContext, { before, after, copied }: Changed): void {
  const all = Object.entries(after).filter(
    ([name, value]) => name !== 'publishedAt' && !isDeepStrictEqual(value, before[name]),
  );
  const { attributes } = context.contentType;
  const isOwn = ([name]: readonly [string, unknown]): boolean =>
    copied !== undefined && attributes.get(name)?.kind === 'scalar';
  const own = all.filter(isOwn);
  if (copied !== undefined && own.length > 0) {
    const known: CopiedValues = Object(context.params)[COPIED] ?? new Map();
    const values = new Map([...known, [copied, Object.fromEntries(own)]]);
    context.params = { ...context.params, [COPIED]: values };
  }
  const changed = all.filter((one) => !isOwn(one));
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

const modelOf = ({ uid, contentType }: Of) => ({
  uid,
  singularName: contentType.singularName,
  tableName: contentType.collectionName,
});

/** `strapi.db.lifecycles` and the lifecycle files: `before` and `after` of each row that a call writes, or of a read. */
export class Lifecycles {
  private readonly subscribers = new Subscribers();

  constructor(
    private readonly live: () => Pick<Live, 'documents' | 'schema' | 'config'>,
    private readonly record: RecordEvent,
  ) {}

  /** `strapi.db.lifecycles`. */
  readonly api = {
    subscribe: (given: unknown) => {
      const { models } = objectAt(given);
      const uids = Array.isArray(models) ? models.map(String) : null;
      for (const uid of uids ?? []) if (PARTLY.has(uid)) this.record({ name: 'lifecycles-partly-run', uid });
      return this.subscribers.add(given, uids);
    },
  };

  readonly ofFile = (uid: string, exported: unknown): void => {
    if (isObject(exported)) this.subscribers.add(exported, [uid]);
  };

  readonly concerns: Concerns = (action, uid) =>
    LIFECYCLES[action].some((name) =>
      ['before', 'after'].some((when) => this.subscribers.has(when + name, uid)),
    );

  readonly middleware: InnerMiddleware = (context, next) =>
    nested(context, async () => {
      if (BY_QUERY in context.params) return next();
      if (READS.has(context.action)) return this.read(context, next);
      const { uid } = context;
      // As in Strapi, a call with its lifecycles is one transaction.
      return context.undoable(
        () => this.write(context, next),
        (error) => this.record({ name: 'write-not-undone', uid, err: error }),
      );
    });

  /** A query has lifecycles of its own, with the parameters that it was given. */
  readonly hooked: Hooked = async (uid, name, params, query) => {
    const { subscribers } = this;
    if (!subscribers.has(`before${name}`, uid) && !subscribers.has(`after${name}`, uid)) return query(params);
    return nested({ uid, action: `db.query.${name}` }, async () => {
      const model = modelOf({ uid, contentType: existingType(this.live().schema, uid) });
      const announced = await subscribers.announce(model, name, params);
      const result = await query(params);
      const isNone = result === null && (name === 'Update' || name === 'Delete');
      if (!isNone) await subscribers.tell(name, announced, result);
      return result;
    });
  };

  private async read(context: InnerContext, next: () => Promise<unknown>): Promise<unknown> {
    const [name = ''] = LIFECYCLES[context.action];
    const announced = await this.beforeCall(context, name);
    const result = await next();
    await this.subscribers.tell(name, announced, result);
    return result;
  }

  private async write(context: InnerContext, next: () => Promise<unknown>): Promise<unknown> {
    const rows = await writtenRows(context, this.live());
    const announced: (readonly [WrittenRow, Announced])[] = [];
    // A write is one step here, so all its rows are announced before it: whatever throws leaves nothing behind.
    const hash = hashing();
    for (const row of rows) announced.push([row, await this.beforeRow(context, row, hash)]);
    const answer = await next();
    const isOne = context.action === 'create' || context.action === 'update';
    const { entries } = objectAt(answer);
    const list: readonly unknown[] | null = !isOne && Array.isArray(entries) ? entries : null;
    let created = 0;
    for (const [at, [row, known]] of announced.entries()) {
      const { lifecycle, before, isCall } = row;
      if (isCall && !this.subscribers.has(`after${lifecycle}`, context.uid)) continue;
      const isAnswer = isOne && at === rows.length - 1;
      const result = isAnswer
        ? answer
        : isCall
          ? await this.draftOf(context, answer)
          : before
            ? deletedRow(before, context, list)
            : list?.[created++];
      await this.subscribers.tell(lifecycle, known, result);
    }
    return answer;
  }

  /** The events before a call for its own parameters, which they may change. */
  private async beforeCall(
    context: InnerContext,
    name: string,
    { id, hash = hashing() }: { readonly id?: unknown; readonly hash?: Hash } = {},
  ): Promise<Announced> {
    const { contentType, params: given } = context;
    const of = this.ofCall(context);
    const params = eventParams(given, of);
    if (id !== undefined) params['where'] = { id };
    if (!this.subscribers.has(`before${name}`, context.uid)) return this.announce(context, name, params);
    // Accounts and files are written by queries.
    const row = contentType.origin === 'api' ? this.versionOf(context) : {};
    const shown = { links: this.linksOf(context, false), row, hash };
    const written = await asWritten(params['data'], contentType, name, shown);
    if (written) params['data'] = written.data;
    const before = copyOf(params);
    const announced = await this.announce(context, name, params);
    const left = changedParams(given, before, params, of);
    context.params = written ? { ...left, data: written.given(params['data']) } : left;
    return announced;
  }

  private async beforeRow(context: InnerContext, row: WrittenRow, hash: Hash): Promise<Announced> {
    const { lifecycle, before } = row;
    if (row.isCall) {
      if (this.subscribers.has(`before${lifecycle}`, context.uid)) this.refuseInvalid(context);
      return this.beforeCall(context, lifecycle, { id: before?.['id'], hash });
    }
    if (before) return this.announce(context, lifecycle, { where: { id: before['id'] } });
    const data = await this.dataOf(context, row, hash);
    const unchanged = structuredClone(data);
    const of = this.ofCall(context);
    const { select, populate } = eventParams(context.params, of);
    const shown = { ...(select !== undefined && { select }), ...(populate !== undefined && { populate }) };
    const announced = await this.announce(context, lifecycle, { ...copyOf(shown), where: {}, data });
    const { params } = announced.subject;
    context.params = changedParams(context.params, shown, params, of);
    const { locale = null } = { ...this.versionOf(context), ...row.copied };
    const isCopy = row.isPublished || context.action === 'discardDraft';
    withChanges(context, {
      before: unchanged,
      after: objectAt(params['data']),
      copied: isCopy && context.contentType.draftAndPublish ? (locale as string | null) : undefined,
    });
    return announced;
  }

  /** The data of a row that a call writes beside its own, as far as somebody sees it. */
  private async dataOf(context: InnerContext, row: WrittenRow, hash: Hash): Promise<Values> {
    const { contentType } = context;
    const given = objectAt(context.params)['data'];
    const values = createdData(row, given, context.action);
    const version = this.versionOf(context);
    if (!this.subscribers.has(`before${row.lifecycle}`, context.uid)) return { ...version, ...values };
    const defaults = row.copied ? {} : defaultsOf(values, contentType);
    // A password that is copied is a hash already.
    const passwords = await hashedPasswords(objectAt(given), contentType, hash);
    const links = await this.linksOf(context, row.isPublished)(values);
    return { ...version, ...defaults, ...values, ...links, ...passwords };
  }

  private announce(context: Of, name: string, params: Values): Promise<Announced> {
    return this.subscribers.announce(modelOf(context), name, params);
  }

  private linksOf(context: InnerContext, isPublished: boolean): (data: Values) => Promise<Values> {
    return async (data) => {
      const { locale = data['locale'] }: Values = { ...context.params };
      const status = isPublished ? 'published' : 'draft';
      const source = { status: context.contentType.draftAndPublish ? status : null, locale } as const;
      return linkedRows(data, context, source, this.live());
    };
  }

  /** What the version and the locale of the row of a call say. */
  private versionOf({ contentType, params }: InnerContext): Values {
    const { locale = this.defaultLocale() }: Values = { ...params };
    return {
      publishedAt: contentType.draftAndPublish ? null : new Date(),
      ...(contentType.localized && { locale }),
    };
  }

  private ofCall({ contentType, action, isRequest }: InnerContext) {
    const how = { isRead: READS.has(action), isRequest, defaultLocale: this.defaultLocale() };
    return { type: contentType, schema: this.live().schema, ...how };
  }

  private defaultLocale(): string {
    return this.live().config.plugins.i18n.defaultLocale;
  }

  /** Lifecycles see no values that their type refuses, as in Strapi, where they run after the validation. */
  private refuseInvalid({ action, contentType, params }: MiddlewareContext): void {
    // What writes accounts and files has validated them.
    if (contentType.origin !== 'api') return;
    const { data }: Values = { ...params };
    const { faults } = bodyChecker(this.live(), contentType)(data ?? {}, action === 'update');
    if (faults.length > 0) throw errors.fields(inSchemaOrder(faults, contentType));
  }

  /** The row of a call that also publishes it: what the call answers with is the published row. */
  private async draftOf({ contentType, params, reader }: InnerContext, answer: unknown): Promise<unknown> {
    const { documentId, locale } = objectAt(answer);
    const { fields, populate }: Values = { ...params };
    const shown = { ...(fields !== undefined && { fields }), ...(populate !== undefined && { populate }) };
    const query = paramsQuery(
      { ...shown, status: 'draft', ...(contentType.localized && { locale }) },
      'service',
    );
    return (await reader.one(scriptRequest(contentType, query), String(documentId))).data;
  }
}
