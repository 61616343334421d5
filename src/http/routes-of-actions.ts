import { reachable } from '../describe/contract/contract.js';
import type { ContentAction } from '../describe/contract/types.js';
import type { ContentType } from '../schema/types.js';
import { groupBy } from '../values/group.js';
import { oncePer } from '../values/once-per.js';
import type { Route } from './context.js';

const keyOf = (uid: string, action: string): string => `${uid}.${action}`;

/** The built-in routes of content, by type and action. */
const served = oncePer((routes: readonly Route[]) =>
  groupBy(reachable(routes), ({ operation }) =>
    operation?.kind === 'content' ? keyOf(operation.uid, operation.action) : '',
  ),
);

const OF_TYPE: ReadonlySet<ContentAction> = new Set<ContentAction>(['find', 'create', 'findScheduled']);
const OF_VERSION: ReadonlySet<ContentAction> = new Set<ContentAction>(['findVersion', 'restore']);

/** What the address of an action has to fill in. */
const parametersOf = ({ kind }: ContentType, action: ContentAction): string =>
  (kind === 'singleType' || OF_TYPE.has(action) ? '' : ':documentId') +
  (OF_VERSION.has(action) ? ':version' : '');

/**
 * The built-in route of an action; undefined if there is none, such as where a project's code answers instead, or has
 * declared an address with something else to fill in.
 */
export const routeOfAction = (
  routes: readonly Route[],
  type: ContentType,
  action: ContentAction,
): Route | undefined =>
  served(routes)
    .get(keyOf(type.uid, action))
    ?.find(({ path }) => (path.match(/[:*{][^/]*/g) ?? []).join('') === parametersOf(type, action));
