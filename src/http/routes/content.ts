import { routeOf } from '../../schema/find.js';
import type { ContentType } from '../../schema/types.js';
import type { RequestContext, Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { contentReads } from './content-reads.js';
import { contentWrites } from './content-writes.js';

const idOf = (ctx: RequestContext): string => ctx.params['documentId'] ?? '';

/** The routes of one content type with the action that each needs (rules A.1). */
const routesOf = (deps: AppDeps, type: ContentType): readonly Route[] => {
  const { list, one, single } = contentReads(deps, type);
  const { create, update, remove, updateSingle, removeSingle } = contentWrites(deps, type);
  const action = (name: string): string => `${type.uid}.${name}`;
  const path = `/${routeOf(type)}`;
  const onePath = `${path}/:documentId`;
  if (type.kind === 'singleType')
    return [
      { method: 'get', path, action: action('find'), controller: single },
      { method: 'put', path, action: action('update'), controller: updateSingle },
      { method: 'delete', path, action: action('delete'), controller: removeSingle },
    ];
  return [
    { method: 'get', path, action: action('find'), controller: list },
    { method: 'post', path, action: action('create'), controller: create },
    {
      method: 'get',
      path: onePath,
      action: action('findOne'),
      controller: (ctx, who) => one(ctx, who, idOf(ctx)),
    },
    {
      method: 'put',
      path: onePath,
      action: action('update'),
      controller: (ctx, who) => update(ctx, who, idOf(ctx)),
    },
    {
      method: 'delete',
      path: onePath,
      action: action('delete'),
      controller: (ctx, who) => remove(ctx, who, idOf(ctx)),
    },
  ];
};

/** Every content type of the project; the built-in ones have routes of their own. */
export const contentRoutes = (deps: AppDeps): readonly Route[] =>
  [...deps.schema.contentTypes.values()]
    .filter((type) => type.origin === 'api')
    .flatMap((type) => routesOf(deps, type));
