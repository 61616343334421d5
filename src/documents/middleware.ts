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

/** What a middleware sees of a call (SPEC G.10). It may replace `params` before `next()` and change what it returns. */
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
