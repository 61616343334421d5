import type { ConfigOverrides } from '../../src/config/load.js';
import type { Serving } from '../../src/serve/index.js';

let made = 0;

/** A database and a port of a test's own. */
export const testDatabase = (more: ConfigOverrides = {}): ConfigOverrides => {
  made += 1;
  return {
    environment: 'production',
    middlewares: { logger: { level: 'fatal' } },
    ...more,
    database: {
      ...(process.env['MONGODB_URI'] && { uri: process.env['MONGODB_URI'] }),
      name: `strapi_code_${process.pid}_${made}_${Date.now().toString(36)}`,
    },
    server: { port: 0, ...more.server },
  };
};

/** Stops a server and drops its database. */
export const dropWhenDone = async (serving: Serving | undefined): Promise<void> => {
  await serving?.project.store.db.dropDatabase();
  await serving?.stop();
};
