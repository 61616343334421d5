import type { Caller } from '../query/read-plan.js';
import type { ContentType } from '../schema/types.js';
import type { Call } from './call.js';
import type { Reader } from './read/reader.js';

export type Action =
  | 'findMany'
  | 'findFirst'
  | 'findOne'
  | 'count'
  | 'create'
  | 'update'
  | 'delete'
  | 'clone'
  | 'publish'
  | 'unpublish'
  | 'discardDraft'
  | 'restore';

/**
 * What a middleware receives for each call. It may replace `params` before `next()` and change the result.
 */
export interface MiddlewareContext {
  readonly uid: string;
  readonly contentType: ContentType;
  readonly action: Action;
  params: object;
}

export type DocumentMiddleware = (
  context: MiddlewareContext,
  next: () => Promise<unknown>,
) => Promise<unknown>;

/** What a middleware of `useInside` receives. */
export interface InnerContext extends MiddlewareContext {
  /** The parameters are those of a request, or a script's. */
  readonly isRequest: boolean;
  /** Reads what is stored with what the transaction of the call has changed, inside no middlewares. */
  readonly reader: Reader;
  /** Calls `work` when the write is stored: not before the end of the transaction or the work that it belongs to. */
  afterCommit(work: () => unknown): void;
  /**
   * Runs work that may fail after its writes: these are taken back then, also those of other services inside it. In a
   * transaction that is for the transaction to do.
   * @param notUndone called if they could not be taken back
   */
  undoable<T>(work: () => Promise<T>, notUndone: (error: unknown) => void): Promise<T>;
}

export type InnerMiddleware = (context: InnerContext, next: () => Promise<unknown>) => Promise<unknown>;

/**
 * Runs a call inside the middlewares of its action; `run` receives it as they leave it: the same object if
 * there are none.
 */
export type Through = <T>(action: Action, call: Call, run: (call: Call) => Promise<T>) => Promise<T>;

interface Used {
  readonly middleware: DocumentMiddleware;
  /** Absent: every action. */
  readonly only?: readonly Action[] | undefined;
  /** Absent: every content type. */
  readonly uids?: readonly string[] | undefined;
  /** Whether it also wraps the writes that another module makes itself. */
  readonly isAround?: boolean;
}

/** Whether a middleware concerns an action of a content type, asked for each call. */
export type Concerns = (action: Action, uid: string) => boolean;

/** What a caller may see of a result. */
export type Showing = (data: unknown, type: ContentType, caller: Caller) => unknown;

/** The middlewares of a Document Service, in order of registration. */
export function createMiddlewares() {
  const used: Used[] = [];
  let showing: Showing | null = null;
  const inner: { readonly middleware: InnerMiddleware; readonly concerns: Concerns }[] = [];
  const insideOf = (list: readonly Used[], action: Action, uid: string): readonly InnerMiddleware[] => [
    ...list
      .filter(({ only, uids }) => (only?.includes(action) ?? true) && (uids?.includes(uid) ?? true))
      .map(({ middleware }) => middleware),
    ...inner.filter(({ concerns }) => concerns(action, uid)).map(({ middleware }) => middleware),
  ];
  const wrapping = (action: Action, uid: string) => insideOf(used, action, uid);
  // As in Strapi, what another module deletes is a query, which is inside of all document middlewares.
  const around = (action: Action, uid: string) =>
    insideOf(
      used.filter(({ isAround }) => isAround && action !== 'delete'),
      action,
      uid,
    );
  /** Runs `last` inside the middlewares, the first outermost. */
  const runIn = (
    middlewares: readonly InnerMiddleware[],
    context: InnerContext,
    last: (params: object) => Promise<unknown>,
  ): Promise<unknown> => {
    const from = (at: number): Promise<unknown> => {
      const middleware = middlewares[at];
      return middleware ? middleware(context, () => from(at + 1)) : last(context.params);
    };
    return from(0);
  };
  return {
    showThrough: (show: Showing): void => {
      showing = show;
    },
    showing: (): Showing | null => showing,
    useInside: (middleware: InnerMiddleware, concerns: Concerns): void => {
      inner.push({ middleware, concerns });
    },
    use: (middleware: DocumentMiddleware, only?: readonly Action[], uids?: readonly string[]): void => {
      used.push({ middleware, only, uids });
    },
    useAround: (middleware: DocumentMiddleware): void => {
      used.push({ middleware, isAround: true });
    },
    /** Whether any middleware applies to an action of a content type. */
    wraps: (action: Action, uid: string): boolean => wrapping(action, uid).length > 0,
    /** Runs a call inside the middlewares of its action, in order of registration. */
    run: (context: InnerContext, last: (params: object) => Promise<unknown>): Promise<unknown> =>
      runIn(wrapping(context.action, context.uid), context, last),
    /** The same for a write of another module. */
    isAround: (action: Action, uid: string): boolean => around(action, uid).length > 0,
    runAround: (context: InnerContext, last: (params: object) => Promise<unknown>): Promise<unknown> =>
      runIn(around(context.action, context.uid), context, last),
  };
}

export type Middlewares = ReturnType<typeof createMiddlewares>;
