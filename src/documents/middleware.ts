import type { ContentType } from '../schema/types.js';

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
  | 'discardDraft';

/** What a middleware sees of a call (rules G.10). It may replace `params` before `next()` and change what it returns. */
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

/** The middlewares of a Document Service; `only`: the actions that one is run for, all where it says nothing. */
export function createMiddlewares() {
  const used: { readonly middleware: DocumentMiddleware; readonly only: readonly Action[] | undefined }[] =
    [];
  return {
    use: (middleware: DocumentMiddleware, only?: readonly Action[]): void => {
      used.push({ middleware, only });
    },
    around: (action: Action): readonly DocumentMiddleware[] =>
      used.filter(({ only }) => !only || only.includes(action)).map(({ middleware }) => middleware),
  };
}

/** Runs `last` inside the middlewares, the first registered outermost. */
export function runThrough(
  middlewares: readonly DocumentMiddleware[],
  context: MiddlewareContext,
  last: (params: object) => Promise<unknown>,
): Promise<unknown> {
  const from = (at: number): Promise<unknown> => {
    const middleware = middlewares[at];
    return middleware ? middleware(context, () => from(at + 1)) : last(context.params);
  };
  return from(0);
}
