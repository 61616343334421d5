import type { ContentType } from '../schema/types.js';
import type { Call } from './call.js';

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
}

/** Whether a middleware concerns an action of a content type, asked for each call. */
export type Concerns = (action: Action, uid: string) => boolean;

/** The middlewares of a Document Service, in order of registration. */
export function createMiddlewares() {
  const used: Used[] = [];
  const inner: { readonly middleware: DocumentMiddleware; readonly concerns: Concerns }[] = [];
  const around = (action: Action, uid: string): readonly DocumentMiddleware[] => [
    ...used
      .filter(({ only, uids }) => (only?.includes(action) ?? true) && (uids?.includes(uid) ?? true))
      .map(({ middleware }) => middleware),
    ...inner.filter(({ concerns }) => concerns(action, uid)).map(({ middleware }) => middleware),
  ];
  const isHooked = (action: Action, uid: string): boolean =>
    inner.some(({ concerns }) => concerns(action, uid));
  return {
    /** Whether something of `useInside` concerns an action of a content type. */
    isHooked,
    useInside: (middleware: DocumentMiddleware, concerns: Concerns): void => {
      inner.push({ middleware, concerns });
    },
    use: (middleware: DocumentMiddleware, only?: readonly Action[], uids?: readonly string[]): void => {
      used.push({ middleware, only, uids });
    },
    /** Whether any middleware applies to an action of a content type. */
    wraps: (action: Action, uid: string): boolean => around(action, uid).length > 0,
    /** Runs `last` inside the middlewares of its action, the first registered outermost. */
    run(context: MiddlewareContext, last: (params: object) => Promise<unknown>): Promise<unknown> {
      const inside = around(context.action, context.uid);
      const from = (at: number): Promise<unknown> => {
        const middleware = inside[at];
        return middleware ? middleware(context, () => from(at + 1)) : last(context.params);
      };
      return from(0);
    },
  };
}

export type Middlewares = ReturnType<typeof createMiddlewares>;
