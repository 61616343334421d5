import type { Route } from '../context.js';
import { authRoutes } from './auth.js';
import { roleRoutes } from './roles.js';
import { sessionRoutes } from './sessions.js';
import { userRoutes } from './users.js';

/** The routes of users-permissions, which an extension of a Strapi project may change. */
export const pluginRoutes: readonly Route[] = [...authRoutes, ...sessionRoutes, ...userRoutes, ...roleRoutes];
