import { applyCode } from '../apply-code.js';
import { compatRoutes } from '../compat/index.js';
import type { Route } from '../context.js';
import type { RouteParts } from '../deps.js';
import { applyPolicies, ownRoutes } from '../own-routes.js';
import { authRoutes } from './auth.js';
import { contentRoutes } from './content.js';
import { localeRoutes } from './locales.js';
import { roleRoutes } from './roles.js';
import { sessionRoutes } from './sessions.js';
import { uploadRoutes } from './upload.js';
import { userRoutes } from './users.js';

/** Every route below the prefix; the first that matches answers. They are made without anything to answer with. */
export const allRoutes = ({ config, schema, code, own }: RouteParts): readonly Route[] =>
  applyPolicies(own, [
    ...ownRoutes(own),
    ...applyCode(
      compatRoutes({ config, schema }, [
        ...authRoutes,
        ...sessionRoutes,
        ...userRoutes,
        ...roleRoutes,
        ...localeRoutes,
        ...uploadRoutes,
        ...contentRoutes(schema),
      ]),
      code,
    ),
  ]);
