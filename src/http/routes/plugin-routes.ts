import type { Route } from '../context.js';
import { authRoutes } from './auth.js';
import { contentTypeBuilderRoutes } from './content-type-builder.js';
import { emailRoutes } from './email.js';
import { localeRoutes } from './locales.js';
import { roleRoutes } from './roles.js';
import { sessionRoutes } from './sessions.js';
import { uploadRoutes } from './upload.js';
import { userRoutes } from './users.js';

/** The routes of Strapi's plugins, which an extension of a Strapi project may change. */
export const pluginRoutes: readonly Route[] = [
  ...authRoutes,
  ...sessionRoutes,
  ...userRoutes,
  ...roleRoutes,
  ...localeRoutes,
  ...uploadRoutes,
  ...contentTypeBuilderRoutes,
  ...emailRoutes,
];
