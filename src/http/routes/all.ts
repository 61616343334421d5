import { allActions } from '../../access/index.js';
import { applyCode } from '../apply-code.js';
import { compatRoutes } from '../compat/index.js';
import type { Route } from '../context.js';
import type { AppDeps } from '../deps.js';
import { applyPolicies, ownRoutes } from '../own-routes.js';
import { authRoutes } from './auth.js';
import { contentRoutes } from './content.js';
import { localeRoutes } from './locales.js';
import { roleRoutes } from './roles.js';
import { sessionRoutes } from './sessions.js';
import { uploadRoutes } from './upload.js';
import { userRoutes } from './users.js';

/** Every route below the prefix; the first that matches answers. */
export const allRoutes = (deps: AppDeps): readonly Route[] =>
  applyPolicies(deps.own, [
    ...ownRoutes(deps.own),
    ...applyCode(
      compatRoutes(deps, [
        ...authRoutes(deps.access),
        ...sessionRoutes(deps.access),
        ...userRoutes(deps),
        ...roleRoutes(deps.access, allActions(deps.schema, deps.own.definition.routes)),
        ...localeRoutes(deps),
        ...uploadRoutes(deps),
        ...contentRoutes(deps),
      ]),
      deps.code,
    ),
  ]);
