import { AUTH } from './auth.js';
import { BATCH } from './batch.js';
import { FILES, LOCALES } from './files.js';
import { OUTSIDE_PREFIX } from './outside-prefix.js';
import { SCHEMAS } from './schemas.js';
import { SERVER } from './server.js';
import type { BuiltInTable } from './types.js';
import { ACCOUNT_ROUTES } from './users.js';

/** Every route that all servers have. */
export const BUILT_IN: BuiltInTable = {
  ...AUTH,
  ...ACCOUNT_ROUTES,
  ...FILES,
  ...LOCALES,
  ...SCHEMAS,
  ...BATCH,
  ...SERVER,
  ...OUTSIDE_PREFIX,
};
